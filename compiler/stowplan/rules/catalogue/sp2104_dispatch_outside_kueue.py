"""Runtime that MultiKueue cannot dispatch.

## What it checks

An intent whose dispatch owner is MultiKueue has a runtime that Kueue holds, and that the releases of the manager and of
every candidate can bring to a worker: TrainJobs from Kueue 0.14 on, LeaderWorkerSets from 0.17 on. What is elastic can
be resized on a worker too: Jobs of shards, and RayClusters from Kueue 0.19 on.

## Why it matters

A Volcano Job has no queue in Kueue: it would start on the manager. A kind that the manager's release does not know is
rejected for good, and a copy that is not resized keeps the size it began with while the manager counts another.

## Example

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: VolcanoJob  # error
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

## Use instead

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: VolcanoJob
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
  dispatch: direct
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2104", "dispatch-outside-kueue", Level.ERROR, since="0.1", stage=Stage.KUEUE)
