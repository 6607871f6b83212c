"""Manifest that the API server cannot decode.

## What it checks

`stowplan validate` reads YAML and JSON as the API server does. Text that is neither, an object without `apiVersion` or
`kind`, and values of a type that the field cannot hold are refused.

## Why it matters

Nothing else of the object is looked at: there may be more mistakes.

## Example

```text
data:
  enabled: yes
```

## Use instead

```text
data:
  enabled: "yes"
```

## References

- [Kubernetes, field validation](https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0822", "undecodable-manifest", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
