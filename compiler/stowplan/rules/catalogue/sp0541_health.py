"""The cluster does not take work.

## What it checks

`health.ready` of the snapshot is true.

## Why it matters

The snapshot says that the API server answers and the nodes work. Work that is sent to a cluster that is not ready
waits there, while others would take it.

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
  health: {ready: false, reason: upgrade of the control plane}  # reason
  nodeGroups:
    - name: h100
      flavor: h100
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
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
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
```

## References

- [Kubernetes, API health endpoints](https://kubernetes.io/docs/reference/using-api/health-checks/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0541", "health", Level.NOTE, since="0.1", stage=Stage.PLAN)
