"""Placed work for which Kueue would preempt what runs.

## What it checks

The compiler plays through what Kueue would do with everything rendered, preemption included: by priority in the queue, to take back
what was lent, or by shares. No intent that runs has to leave for one that the plan has placed.

What is preempted for the manager's quota leaves its worker, even where that has room for both.

## Why it matters

The plan gives running work its place and finds another for the new. Kueue knows nothing of that: it evicts as soon as quota or a
topology domain is short, and the work is queued again and starts from its last checkpoint.

## Example

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  priorities: [high, normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 16}
```

```yaml fleet/intents/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tuning
spec:
  tenant: audio
  runtime: Job
  image: trainer
  command: [torchrun, tune.py]
  workers: {count: 2, accelerators: 2, cpu: 90, memory: 64Gi}
  accelerator: {vendor: nvidia, minMemory: 40Gi}
  duration: {expected: 9h}
  interruptible: true
---
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: urgent  # error
spec:
  tenant: audio
  priority: high
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 1, accelerators: 8, cpu: 48, memory: 256Gi}
  accelerator: {vendor: nvidia, minMemory: 40Gi}
  duration: {expected: 4h}
  interruptible: true
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
  apis: [kueue.x-k8s.io/v1beta2]
  running: [{intent: tuning, flavor: l40s, accelerators: 4}]
```

## Use instead

Cores that come with the accelerators, or a lower priority, or a queue that preempts less.

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  priorities: [high, normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 16}
```

```yaml fleet/intents/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tuning
spec:
  tenant: audio
  runtime: Job
  image: trainer
  command: [torchrun, tune.py]
  workers: {count: 2, accelerators: 2, cpu: 24, memory: 64Gi}
  accelerator: {vendor: nvidia, minMemory: 40Gi}
  duration: {expected: 9h}
  interruptible: true
---
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: urgent
spec:
  tenant: audio
  priority: high
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 1, accelerators: 8, cpu: 48, memory: 256Gi}
  accelerator: {vendor: nvidia, minMemory: 40Gi}
  duration: {expected: 4h}
  interruptible: true
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
  apis: [kueue.x-k8s.io/v1beta2]
  running: [{intent: tuning, flavor: l40s, accelerators: 4}]
```

## References

- [Kueue, preemption](https://kueue.sigs.k8s.io/docs/concepts/preemption/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2099", "nomination-evicts", Level.WARN, since="0.1", stage=Stage.KUEUE)
