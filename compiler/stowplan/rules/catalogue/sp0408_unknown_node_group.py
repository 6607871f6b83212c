"""Domain or running work on nodes that the snapshot does not have.

## What it checks

The node group of a domain is among the snapshot's `nodeGroups`, and running work is in a domain that has nodes of its
flavor.

## Why it matters

Nodes that are counted in a domain but described nowhere have no size, no accelerators and no taints; whatever were
placed on them would be a guess.

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
      - {path: [b2], nodeGroup: h200, nodes: 4, freeNodes: 4, freeAccelerators: 32}  # error
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

RULE = Rule("SP0408", "unknown-node-group", Level.ERROR, since="0.1")
