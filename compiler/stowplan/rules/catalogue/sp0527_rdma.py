"""The nodes have no RDMA.

## What it checks

Where a gang asks for `rdma`, every node group of the flavor reports an RDMA resource.

## Why it matters

Without RDMA the collectives run over TCP. The job does not fail: it is many times slower and pays for accelerators
that wait.

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
    - name: h100  # reason
      flavor: h100
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
  rdma: true  # reason
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
      accelerator: {vendor: nvidia, model: H100-SXM-80G, memory: 81559Mi}
      rdma: {resource: rdma/hca, gigabitsPerSecondPerNode: 3200}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
  rdma: true
```

## References

- [NVIDIA GPU Operator, GPUDirect RDMA](https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-rdma.html)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0527", "rdma", Level.NOTE, since="0.1", stage=Stage.PLAN)
