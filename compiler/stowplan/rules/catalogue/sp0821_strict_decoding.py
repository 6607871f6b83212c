"""Field that the kind does not have, or that stands twice.

## What it checks

`stowplan validate` decodes manifests as the API server does with strict field validation: unknown fields and repeated
keys are refused. `--field-validation ignore` drops them silently, as a server does that is told so.

## Why it matters

A server that is not strict drops an unknown field without a word: what the field was to do does not happen.

## Example

```text
spec:
  replica: 3
```

## Use instead

```text
spec:
  replicas: 3
```

## References

- [Kubernetes, field validation](https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0821", "strict-decoding", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
