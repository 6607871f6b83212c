"""Integration of the manager that a worker has no definitions for.

## What it checks

Every integration that the manager's Kueue has enabled (as the snapshot saw it, else as the intents need it) is served
by every worker.

## Why it matters

The manager opens a watch for each integration; one that fails makes the whole worker count as lost, for plain Jobs
too.

## Example

```text
kind: InventorySnapshot      # of a worker; some intent is a JobSet
spec:
  apis: [kueue.x-k8s.io/v1beta2]
```

## Use instead

```text
kind: InventorySnapshot
spec:
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2051", "framework-without-definition", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
