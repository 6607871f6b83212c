"""The devices are claimed, and something on the way cannot claim or count them.

## What it checks

Where the snapshot says that Dynamic Resource Allocation hands out a pool's devices (`accelerator.dra`), pods claim them.
The cluster then serves `resource.k8s.io`, and for work that goes through Kueue its release counts claims, in that
version, with its gate on and a mapping of the DeviceClass (`kueue.deviceClasses`); for work that MultiKueue dispatches the
same holds on the manager, which counts the class as the same resource. Claims with selectors need Kueue 0.18, and no
manager takes them. A gang that requires a level of the topology is not for claimed devices, if Kueue admits it.

## Why it matters

Kueue never admits a job whose claims it cannot read, and one that counts no claims admits jobs past their quota of
devices. Its topologies look for a pod's devices among the resources of nodes, find none, and leave the job waiting.
Nothing of it shows before the job is in the cluster.

## Example

```yaml fleet/clusters/east.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: east
spec:
  owner: platform
  environment: production
  provider: onprem
  region: eu-west
  zone: a
  failureDomain: east
  jurisdiction: EU
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0}
  kueue: {featureGates: {DynamicResourceAllocation: true}}  # reason
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
  region: east
  zone: east-a
  failureDomain: east-a
  jurisdiction: US
  roles: [hub]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  kueue:
    featureGates: {DynamicResourceAllocation: true}
    deviceClasses: [{resource: nvidia.com/gpu, classes: [gpu.nvidia.com]}]
  components: {kueue: 0.17.0, argocd: 3.6.1, jobset: 0.11.1}
```

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
      accelerator: {vendor: nvidia, model: H100-SXM-80G, memory: 80Gi, dra: {deviceClass: gpu.nvidia.com}}  # reason
  apis: [kueue.x-k8s.io/v1beta2]
```

```yaml fleet/intents/training.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: pretrain
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, train.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  accelerator: {vendor: nvidia, minMemory: 70Gi}
  topology: {preferred: block}
  data: [{artifact: corpus, access: read}]
  checkpoint: {storage: objectStore, path: pretrain, every: 30m}
  duration: {expected: 24h, limit: 48h}
  interruptible: true
  priority: production
  attempts: 3
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 16, memory: 128Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  dispatch: direct
```

## Use instead

```yaml fleet/clusters/east.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: east
spec:
  owner: platform
  environment: production
  provider: onprem
  region: eu-west
  zone: a
  failureDomain: east
  jurisdiction: EU
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0}
  kueue:
    featureGates: {DynamicResourceAllocation: true}
    deviceClasses: [{resource: nvidia.com/gpu, classes: [gpu.nvidia.com]}]
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
  region: east
  zone: east-a
  failureDomain: east-a
  jurisdiction: US
  roles: [hub]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  kueue:
    featureGates: {DynamicResourceAllocation: true}
    deviceClasses: [{resource: nvidia.com/gpu, classes: [gpu.nvidia.com]}]
  components: {kueue: 0.17.0, argocd: 3.6.1, jobset: 0.11.1}
```

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
      accelerator: {vendor: nvidia, model: H100-SXM-80G, memory: 80Gi, dra: {deviceClass: gpu.nvidia.com}}
  apis: [kueue.x-k8s.io/v1beta2]
```

```yaml fleet/intents/training.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: pretrain
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, train.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  accelerator: {vendor: nvidia, minMemory: 70Gi}
  topology: {preferred: block}
  data: [{artifact: corpus, access: read}]
  checkpoint: {storage: objectStore, path: pretrain, every: 30m}
  duration: {expected: 24h, limit: 48h}
  interruptible: true
  priority: production
  attempts: 3
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 16, memory: 128Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  dispatch: direct
```

## References

- [Kubernetes, dynamic resource allocation](https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/)
- [Kueue, dynamic resource allocation](https://kueue.sigs.k8s.io/docs/concepts/dynamic_resource_allocation/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0544", "device-claims", Level.NOTE, since="0.1", stage=Stage.PLAN)
