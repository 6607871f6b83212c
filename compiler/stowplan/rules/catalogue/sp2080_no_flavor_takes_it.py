"""Pod set that no flavor of its queue can take.

## What it checks

Some flavor of the queue, on the API server that the job starts at, tolerates, matches, and has the topology for each
pod set; and flavors of two groups of one queue do not give one label two values.

## Why it matters

The job waits for ever, whatever the quota.

## Example

```text
kind: ResourceFlavor
spec:
  nodeTaints: [{key: spot, effect: NoSchedule}]      # nobody tolerates it
```

## Use instead

```text
kind: ResourceFlavor
spec:
  nodeTaints: [{key: spot, effect: NoSchedule}]
  tolerations: [{key: spot, operator: Exists, effect: NoSchedule}]
```

## References

- [Kueue, ResourceFlavor](https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2080", "no-flavor-takes-it", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
