"""Component in a fleet whose planes table gives components to nobody.

## What it checks

`planes.workloadPlacement.components` names an owner, or the component says `delivery` itself.

## Why it matters

`none` is an answer, but then a Component asks for something that nobody does.

## Example

```text
kind: Fleet
spec:
  planes:
    workloadPlacement: {components: none}
```

## Use instead

Name an owner in the planes table, or state `delivery: gitops` on the component.

## References

- [Kubernetes, objects](https://kubernetes.io/docs/concepts/overview/working-with-objects/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0747", "component-delivered-by-nobody", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
