"""Workload that the plan moves.

## What it checks

The assignments of the lock are kept unless they became impossible, or another place is better by more than the
policy's `move.threshold`. What moves is reported with the cause.

## Why it matters

A move stops a job and starts it elsewhere, from its last checkpoint and with its data to be copied. The reviewer of
the change should see it without reading the whole plan.

## Example

```text
rendered/stowplan.lock    pretrain: east/h100, domain b1
the new plan              pretrain: west/h100, domain b4
```

## Use instead

Nothing, if the move is wanted. Else raise `move.threshold` of the PlacementPolicy, or name the clusters of the
intent.

## References

- docs/architecture.md
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0606", "moved", Level.NOTE, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
