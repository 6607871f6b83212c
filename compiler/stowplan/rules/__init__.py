"""The catalogue of rules: what each code means, why it matters, and how heavily it weighs."""
