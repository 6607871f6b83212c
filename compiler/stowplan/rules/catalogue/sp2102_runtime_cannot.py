"""Work that its runtime cannot do.

## What it checks

Shards run as Job, JobSet, RayJob, RayCluster, Volcano Job, or plain pods; a promotion step comes with Job and JobSet;
plain pods are few and all start at once.

## Why it matters

The kind has no field for it, and what is left out silently is missed when it is needed.

## Example

```yaml fleet/eval.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-all
spec:
  tenant: speech
  runtime: MPIJob  # error
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## Use instead

```yaml fleet/eval.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-all
spec:
  tenant: speech
  runtime: JobSet
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2102", "runtime-cannot", Level.ERROR, since="0.1", stage=Stage.KUEUE)
