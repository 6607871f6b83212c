"""The namespace goes away, or a secret is not in it.

## What it checks

The namespace of the intent is not being deleted on the cluster, and the secrets that it mounts are in it, as far as
the snapshot looked for secrets.

## Why it matters

Nothing can be created in a namespace that is terminating. A pod whose secret is missing stays in ContainerCreating,
with its quota reserved and its accelerators idle.

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
  namespaces: [{name: research, phase: Terminating}]  # reason
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks  # reason
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
  namespaces: [{name: research, phase: Active}]
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

- [Kubernetes, namespaces](https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/)
- [Kubernetes, secrets](https://kubernetes.io/docs/concepts/configuration/secret/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0533", "namespace", Level.NOTE, since="0.1", stage=Stage.PLAN)
