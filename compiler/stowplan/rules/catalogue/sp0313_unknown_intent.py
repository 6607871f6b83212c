"""Running work in a snapshot that belongs to no intent.

## What it checks

Every row of `running` names an intent of the workspace.

## Why it matters

What runs already is neither free nor to be placed again. If the intent was renamed, its work would be placed a second
time beside the first, and both would write to one checkpoint.

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
      flavor: h100
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
  running: [{intent: pretrian, flavor: h100, accelerators: 8}]  # error
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
      flavor: h100
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
  running: [{intent: pretrain, flavor: h100, accelerators: 8}]
```

## References

- [Kueue, Workload](https://kueue.sigs.k8s.io/docs/concepts/workload/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0313", "unknown-intent", Level.ERROR, since="0.1")
