"""The offline API server: schema packs, pruning, defaults, checks, list topology and CEL rules."""
