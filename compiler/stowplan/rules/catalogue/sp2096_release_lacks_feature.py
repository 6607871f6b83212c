"""Feature that the cluster's Kueue does not have.

## What it checks

Workers serve the version that the manager speaks; fields of v1beta2 are asked of clusters that serve it; gates that
rendered objects need are on. Gates and integrations that a Cluster states (`kueue.featureGates`, `kueue.frameworks`) are
known to its release, and none is set to another value than the one that is fixed there.

## Why it matters

The field is pruned or ignored without a word. A gate or an integration that it does not know, or a fixed gate with another
value, keeps Kueue from starting: after an upgrade that renamed a gate, nothing is admitted any more.

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
    - {flavor: l40s, cluster: south, nominal: 8}
  queueing:
    fungibility: {whenCanBorrow: TryNextFlavor, preference: BorrowingOverPreemption}  # error
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
  apis: [kueue.x-k8s.io/v1beta1]
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
    - {flavor: l40s, cluster: south, nominal: 8}
  queueing:
    fungibility: {whenCanBorrow: TryNextFlavor}
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
  apis: [kueue.x-k8s.io/v1beta1]
```

## References

- [Kueue, configuration](https://kueue.sigs.k8s.io/docs/installation/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2096", "release-lacks-feature", Level.ERROR, since="0.1", stage=Stage.KUEUE)
