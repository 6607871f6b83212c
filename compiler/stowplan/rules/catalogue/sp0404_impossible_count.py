"""More free or used than there is.

## What it checks

In every domain the free nodes are at most its nodes, the free accelerators fit the free nodes and the nodes in all,
and what runs there is not more than what is not free.

## Why it matters

The ledger books gangs against these numbers. One domain with more free accelerators than it has is a gang that waits
for nodes that were never there.

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
  topology:
    levels:
      - {name: block, label: topology.stowplan.io/block}
      - {name: node, label: kubernetes.io/hostname}
    domains:
      - {path: [b1], nodeGroup: h100, nodes: 4, freeNodes: 4, freeAccelerators: 32}
      - {path: [b2], nodeGroup: h100, nodes: 4, freeNodes: 5, freeAccelerators: 32}  # error
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
  topology:
    levels:
      - {name: block, label: topology.stowplan.io/block}
      - {name: node, label: kubernetes.io/hostname}
    domains:
      - {path: [b1], nodeGroup: h100, nodes: 4, freeNodes: 4, freeAccelerators: 32}
      - {path: [b2], nodeGroup: h100, nodes: 4, freeNodes: 4, freeAccelerators: 32}
```

## References

- [Kueue, topology aware scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0404", "impossible-count", Level.ERROR, since="0.1")
