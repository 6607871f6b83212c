"""Deployment through MultiKueue.

## What it checks

No Deployment's queue dispatches through MultiKueue.

## Why it matters

MultiKueue sees the pods one by one: replicas land on several clusters, and nothing keeps them together.

## Example

```text
kind: Deployment
metadata:
  labels: {kueue.x-k8s.io/queue-name: north}
```

## Use instead

```text
kind: LeaderWorkerSet
metadata:
  labels: {kueue.x-k8s.io/queue-name: north}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2092", "deployment-dispatched", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
