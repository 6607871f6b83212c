"""Two managers of one worker with one origin.

## What it checks

The manager's origin (`kueue.origin` of its Cluster, else the fleet's name) is none of the `otherManagers` of a
worker.

## Why it matters

Each manager deletes Workloads with its origin that it does not know: the two delete each other's running jobs in
turns.

## Example

```text
kind: Cluster                # a worker; this fleet is called aurora
spec:
  kueue: {otherManagers: [aurora]}
```

## Use instead

```text
kind: Cluster                # the manager
spec:
  kueue: {origin: aurora-batch}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2053", "origin-shared", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
