"""Topology that sees room on nodes whose devices are all claimed.

## What it checks

On a flavor with a topology, cpu or memory of a pod that claims devices keeps no more pods on a node than the node's
devices do.

## Why it matters

Kueue's topology-aware scheduling counts cpu, memory, and extended resources of nodes, but no devices that are claimed. It
puts pods on a node until cpu or memory is used up; those for which no device is left stay pending there, and the rest
of the gang waits for them.

## Example

```yaml fleet/clusters/north.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: north
spec:
  owner: platform
  environment: production
  provider: onprem
  region: eu-west
  zone: eu-west-a
  failureDomain: north
  jurisdiction: EU
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components:
    argocd: 3.6.1
    kueue: 0.17.0
    jobset: 0.11.1
    trainer: 2.2.0
    training-operator: 1.9.3
    mpi-operator: 0.8.0
    kuberay: 1.6.0
    lws: 0.8.0
    volcano: 1.12.0
  kueue:
    featureGates: {DynamicResourceAllocation: true}
    deviceClasses: [{resource: nvidia.com/gpu, classes: [gpu.nvidia.com]}]
  storage: {objectStore: "s3://north", classes: {fast: nvme}}
```

```yaml fleet/clusters/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: hub
spec:
  owner: platform
  environment: production
  provider: onprem
  region: eu-west
  zone: eu-west-a
  failureDomain: hub
  jurisdiction: EU
  roles: [hub]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components:
    argocd: 3.6.1
    kueue: 0.17.0
    jobset: 0.11.1
    trainer: 2.2.0
    training-operator: 1.9.3
    mpi-operator: 0.8.0
    kuberay: 1.6.0
    lws: 0.8.0
    volcano: 1.12.0
  kueue:
    featureGates: {DynamicResourceAllocation: true}
    deviceClasses: [{resource: nvidia.com/gpu, classes: [gpu.nvidia.com]}]
  storage: {objectStore: "s3://hub", classes: {fast: nvme}}
```

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
      accelerator: {vendor: nvidia, model: H200, memory: 140Gi, dra: {deviceClass: gpu.nvidia.com}}
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
  apis:
    - kueue.x-k8s.io/v1beta2
    - jobset.x-k8s.io/v1alpha2
    - trainer.kubeflow.org/v1alpha1
    - kubeflow.org/v1
    - kubeflow.org/v2beta1
    - ray.io/v1
    - leaderworkerset.x-k8s.io/v1
    - batch.volcano.sh/v1alpha1
```

```yaml fleet/intents/shards.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: shards
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, shard.py]
  shards: {count: 8, accelerators: 1, cpu: 4, memory: 32Gi}  # error
  duration: {expectedPerShard: 1h}
  interruptible: true
  dispatch: direct
```

## Use instead

```yaml fleet/clusters/north.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: north
spec:
  owner: platform
  environment: production
  provider: onprem
  region: eu-west
  zone: eu-west-a
  failureDomain: north
  jurisdiction: EU
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components:
    argocd: 3.6.1
    kueue: 0.17.0
    jobset: 0.11.1
    trainer: 2.2.0
    training-operator: 1.9.3
    mpi-operator: 0.8.0
    kuberay: 1.6.0
    lws: 0.8.0
    volcano: 1.12.0
  kueue:
    featureGates: {DynamicResourceAllocation: true}
    deviceClasses: [{resource: nvidia.com/gpu, classes: [gpu.nvidia.com]}]
  storage: {objectStore: "s3://north", classes: {fast: nvme}}
```

```yaml fleet/clusters/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: hub
spec:
  owner: platform
  environment: production
  provider: onprem
  region: eu-west
  zone: eu-west-a
  failureDomain: hub
  jurisdiction: EU
  roles: [hub]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components:
    argocd: 3.6.1
    kueue: 0.17.0
    jobset: 0.11.1
    trainer: 2.2.0
    training-operator: 1.9.3
    mpi-operator: 0.8.0
    kuberay: 1.6.0
    lws: 0.8.0
    volcano: 1.12.0
  kueue:
    featureGates: {DynamicResourceAllocation: true}
    deviceClasses: [{resource: nvidia.com/gpu, classes: [gpu.nvidia.com]}]
  storage: {objectStore: "s3://hub", classes: {fast: nvme}}
```

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
      accelerator: {vendor: nvidia, model: H200, memory: 140Gi, dra: {deviceClass: gpu.nvidia.com}}
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
  apis:
    - kueue.x-k8s.io/v1beta2
    - jobset.x-k8s.io/v1alpha2
    - trainer.kubeflow.org/v1alpha1
    - kubeflow.org/v1
    - kubeflow.org/v2beta1
    - ray.io/v1
    - leaderworkerset.x-k8s.io/v1
    - batch.volcano.sh/v1alpha1
```

```yaml fleet/intents/shards.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: shards
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, shard.py]
  shards: {count: 8, accelerators: 1, cpu: 12, memory: 96Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  dispatch: direct
```

## References

- [Kueue, dynamic resource allocation](https://kueue.sigs.k8s.io/docs/concepts/dynamic_resource_allocation/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2098", "devices-outside-topology", Level.WARN, since="0.1", stage=Stage.KUEUE)
