"""Integration of the manager that a worker has no definitions for.

## What it checks

Every integration that the manager's Kueue has enabled (as the snapshot saw it, else as the intents need it) is served
by every worker.

## Why it matters

The manager opens a watch for each integration; one that fails makes the whole worker count as lost, for plain Jobs
too.

## Example

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: JobSet
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

```yaml fleet/eval.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-all
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: south, localQueue: nightly}
```

```yaml fleet/inventory/south.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: south
spec:
  cluster: south
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: l40s
      flavor: l40s
      nodes: 4
      perNode: {cpu: 96, memory: 768Gi, pods: 110, accelerators: 8}
      accelerator: {vendor: nvidia, model: L40S, memory: 48Gi}
      driver: "580.1"
      cuda: "13.0"
  prices:
    - {flavor: l40s, perAcceleratorHour: 1.0}
  apis: [kueue.x-k8s.io/v1beta2]  # error
```

## Use instead

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: JobSet
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

```yaml fleet/eval.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-all
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: south, localQueue: nightly}
```

```yaml fleet/inventory/south.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: south
spec:
  cluster: south
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: l40s
      flavor: l40s
      nodes: 4
      perNode: {cpu: 96, memory: 768Gi, pods: 110, accelerators: 8}
      accelerator: {vendor: nvidia, model: L40S, memory: 48Gi}
      driver: "580.1"
      cuda: "13.0"
  prices:
    - {flavor: l40s, perAcceleratorHour: 1.0}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2051", "framework-without-definition", Level.ERROR, since="0.1", stage=Stage.KUEUE)
