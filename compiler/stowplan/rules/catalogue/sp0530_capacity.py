"""The flavor is too small for one unit.

## What it checks

All nodes of the flavor, less what services hold for good, take one unit of the work, worker by worker. Whether they
are free now is a matter of placement and of the queue.

## Why it matters

More accelerators in all than a gang needs are not enough when the last worker finds only halves of two nodes.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 80}]
---
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune  # reason
spec:
  tenant: vision
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 9, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 80}]
---
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: vision
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 8, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0530", "capacity", Level.NOTE, since="0.1", stage=Stage.PLAN)
