"""The predicates by family; each is a generator that yields a reason for whatever fails."""
