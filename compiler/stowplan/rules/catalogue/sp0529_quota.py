"""The tenant's quota can never take it.

## What it checks

One unit of the work (the gang, a shard, a replica, a user's share) is within what the tenant can reach of the flavor
on the cluster: its nominal quota less what its services hold, and what it may borrow from its cohort.

## Why it matters

Kueue leaves a workload that exceeds nominal quota and borrowing limit in its queue for ever, without an event that
says never.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune  # reason
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 5, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
- [Kueue, Cohort](https://kueue.sigs.k8s.io/docs/concepts/cohort/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0529", "quota", Level.NOTE, since="0.1", stage=Stage.PLAN)
