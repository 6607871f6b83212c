"""The input language: one strict pydantic model a kind, as users write it (camelCase in YAML, snake_case here)."""
