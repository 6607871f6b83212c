"""Quota below what is admitted.

## What it checks

The nominal quota of a ClusterQueue covers what the snapshot saw admitted through it.

## Why it matters

What is beyond becomes borrowed at once, and may be preempted.

## Example

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: research
  priorities: [normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 8}  # error
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
  kueue: {usage: [{queue: audio, flavor: l40s, accelerators: 16}]}
```

## Use instead

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: research
  priorities: [normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 16}
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
  kueue: {usage: [{queue: audio, flavor: l40s, accelerators: 16}]}
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2095", "quota-below-use", Level.WARN, since="0.1", stage=Stage.KUEUE)
