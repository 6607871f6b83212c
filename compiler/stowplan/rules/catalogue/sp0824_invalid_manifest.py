"""Manifest that the API server refuses as invalid.

## What it checks

`stowplan validate` applies the schema, the defaults, the checks and the CEL rules of the kind, in the server's order, and
repeats the server's own message with the line it concerns. With `--old` the rules on updates apply too.

## Why it matters

The server refuses the object as it is.

## Example

```text
spec:
  replicas: -1
```

## Use instead

```text
spec:
  replicas: 1
```

## References

- [Kubernetes, API concepts](https://kubernetes.io/docs/reference/using-api/api-concepts/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0824", "invalid-manifest", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
