"""Topology that the nodes do not have.

## What it checks

Levels have different labels, at most 16, the node last where it is one; and each is a label that the snapshot
reports.

## Why it matters

A node without one of the labels is no part of the topology: it takes no work of the flavor.

## Example

```yaml fleet/inventory/north.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: north
spec:
  cluster: north
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: h200
      flavor: h200
      nodes: 8
      perNode: {cpu: 96, memory: 768Gi, pods: 110, accelerators: 8}
      accelerator: {vendor: nvidia, model: H200, memory: 140Gi}
      driver: "580.1"
      cuda: "13.0"
  topology:
    levels:
      - {name: node, label: kubernetes.io/hostname}  # error
      - {name: block, label: fabric.example.com/block}
    domains:
      - {path: [b1], nodeGroup: h200, nodes: 4, freeNodes: 4, freeAccelerators: 32}
      - {path: [b2], nodeGroup: h200, nodes: 4, freeNodes: 4, freeAccelerators: 32}
  prices:
    - {flavor: h200, perAcceleratorHour: 2.0}
  apis: [kueue.x-k8s.io/v1beta2]
```

## Use instead

```yaml fleet/inventory/north.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: north
spec:
  cluster: north
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: h200
      flavor: h200
      nodes: 8
      perNode: {cpu: 96, memory: 768Gi, pods: 110, accelerators: 8}
      accelerator: {vendor: nvidia, model: H200, memory: 140Gi}
      driver: "580.1"
      cuda: "13.0"
  topology:
    levels:
      - {name: block, label: fabric.example.com/block}
      - {name: node, label: kubernetes.io/hostname}
    domains:
      - {path: [b1], nodeGroup: h200, nodes: 4, freeNodes: 4, freeAccelerators: 32}
      - {path: [b2], nodeGroup: h200, nodes: 4, freeNodes: 4, freeAccelerators: 32}
  prices:
    - {flavor: h200, perAcceleratorHour: 2.0}
  apis: [kueue.x-k8s.io/v1beta2]
```

## References

- [Kueue, Topology Aware Scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2062", "topology-levels", Level.ERROR, since="0.1", stage=Stage.KUEUE)
