"""Two objects of one name in one unit.

## What it checks

In a unit every kind, namespace and name is rendered once. Both inputs are shown.

## Why it matters

Two objects of one name are one object in the cluster. Which of the two texts it has would change with every sync.

## Example

```jinja
apiVersion: v1
kind: Namespace
metadata:
  name: {{ tenant }}
---
apiVersion: v1
kind: Namespace
metadata:
  name: {{ tenant }}
```

## Use instead

Rename one of the two, or leave one of them to the other template.

## References

- [Kubernetes, object names and IDs](https://kubernetes.io/docs/concepts/overview/working-with-objects/names/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0708", "object-rendered-twice", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
