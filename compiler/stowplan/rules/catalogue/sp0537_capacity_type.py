"""Spot capacity for work that may not be interrupted.

## What it checks

A flavor whose `capacityType` is `spot` takes only intents that are `interruptible`.

## Why it matters

Spot nodes go with two minutes' notice or less. A job without checkpoints starts anew each time, and may never end.

## Example

```yaml fleet/inventory/east.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: east
spec:
  cluster: east
  observedAt: "2026-11-01T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: h100
      flavor: h100-spot
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: h100-spot
spec:
  capacityType: spot  # reason
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: false  # reason
```

## Use instead

```yaml fleet/inventory/east.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: east
spec:
  cluster: east
  observedAt: "2026-11-01T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: h100
      flavor: h100-spot
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: h100-spot
spec:
  capacityType: spot
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## References

- [Amazon EC2, spot instance interruptions](https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-interruptions.html)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0537", "capacity-type", Level.NOTE, since="0.1", stage=Stage.PLAN)
