"""Template that yields no Kubernetes object.

## What it checks

Every document that a template yields is a mapping with `apiVersion`, `kind` and `metadata.name`.

## Why it matters

What has no name cannot be applied, cannot be found again, and cannot be pruned. `generateName` would make a new
object with every sync.

## Example

```jinja
apiVersion: v1
kind: Namespace
metadata:
  generateName: {{ namespace }}-
```

## Use instead

```jinja
apiVersion: v1
kind: Namespace
metadata:
  name: {{ namespace }}
```

## References

- [Kubernetes, objects](https://kubernetes.io/docs/concepts/overview/working-with-objects/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0706", "no-object", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
