"""Job that breaks a rule of its own kind.

## What it checks

Names fit what the kind leaves (47 characters for RayJob, 53 for RayCluster, 63 else); a RayJob shuts its cluster down
and makes it itself.

## Why it matters

KubeRay names services after the object. A RayJob that uses a cluster that there is would be admitted twice.

## Example

```text
kind: RayJob
spec:
  shutdownAfterJobFinishes: false
```

## Use instead

```text
kind: RayJob
spec:
  shutdownAfterJobFinishes: true
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2076", "kind-limits", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
