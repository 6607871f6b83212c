"""Workload for which there is no room now.

## What it checks

Free capacity and quota take every workload that is eligible, in the order of priority. What finds no room is given to
the place where it waits least.

## Why it matters

The queue of the cluster has the last word, but who plans should know: this job starts only after others have ended,
and its time to result grows by that.

## Example

```yaml fleet/intents/training.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: pretrain
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
---
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: reduce  # error
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 2, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## Use instead

```yaml fleet/intents/training.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: pretrain
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 2, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
---
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: reduce
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 2, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## References

- [Kueue, preemption](https://kueue.sigs.k8s.io/docs/concepts/preemption/)
- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0602", "queued", Level.WARN, since="0.1", configurable=True)
