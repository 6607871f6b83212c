"""CEL in the Kubernetes dialect: parse, check against a schema, compile to Python, evaluate in place."""
