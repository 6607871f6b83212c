"""Claim of devices that Kueue cannot count.

## What it checks

Pods of a queued job name ResourceClaimTemplates that are rendered on every API server that the job passes. Their
requests ask for an exact count of a DeviceClass that the configuration of Kueue there maps to a resource; without
alternatives, all-devices mode, and, before the release that takes them, selectors (0.18; never on a MultiKueue manager),
constraints and driver configuration (0.18.2), or admin access (0.20). The release counts claims at all (0.14, by gate
before 0.18). No pod asks for the extended resource besides.

## Why it matters

Kueue marks the job inadmissible, with the reason in the Workload only, and never comes back to it. With its gate off it
admits the job as if it used no devices. A manager compares selectors with devices of its own, of which it has none.

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

```yaml fleet/intents/asr.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: asr
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  topology: {preferred: block}
  checkpoint: {storage: objectStore, path: asr, every: 30m}
  duration: {expected: 4h, limit: 8h}
  interruptible: true
```

```yaml fleet/components/claims/claims.yaml.j2
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: one-device
  namespace: speech
spec:
  metadata: {}
  spec:
    devices:
      requests:
        - name: device
          exactly: {deviceClassName: {{ values.deviceClass }}, allocationMode: ExactCount, count: 1}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: probe
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: speech}
spec:
  backoffLimit: 0
  completionMode: NonIndexed
  completions: 1
  parallelism: 1
  manualSelector: false
  podReplacementPolicy: TerminatingOrFailed
  template:
    metadata: {}
    spec:
      containers:
        - name: work
          image: registry.example.com/probe@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
          imagePullPolicy: IfNotPresent
          command: [python, probe.py]
          resources:
            claims: [{name: device}]
            requests: {cpu: "12", memory: 96Gi}
            limits: {memory: 96Gi}
          securityContext: {allowPrivilegeEscalation: false}
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
      resourceClaims:
        - {name: device, resourceClaimTemplateName: one-device}
      dnsPolicy: ClusterFirst
      restartPolicy: Never
      schedulerName: default-scheduler
      securityContext: {}
      serviceAccount: stowplan-runner
      serviceAccountName: stowplan-runner
      terminationGracePeriodSeconds: 30
```

```yaml fleet/claims.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: claims
spec:
  selector: {clusters: [north]}
  manifests: fleet/components/claims
  wave: 4
  values:
    deviceClass: mig.nvidia.com  # error
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

```yaml fleet/intents/asr.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: asr
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  topology: {preferred: block}
  checkpoint: {storage: objectStore, path: asr, every: 30m}
  duration: {expected: 4h, limit: 8h}
  interruptible: true
```

```yaml fleet/components/claims/claims.yaml.j2
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: one-device
  namespace: speech
spec:
  metadata: {}
  spec:
    devices:
      requests:
        - name: device
          exactly: {deviceClassName: {{ values.deviceClass }}, allocationMode: ExactCount, count: 1}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: probe
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: speech}
spec:
  backoffLimit: 0
  completionMode: NonIndexed
  completions: 1
  parallelism: 1
  manualSelector: false
  podReplacementPolicy: TerminatingOrFailed
  template:
    metadata: {}
    spec:
      containers:
        - name: work
          image: registry.example.com/probe@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
          imagePullPolicy: IfNotPresent
          command: [python, probe.py]
          resources:
            claims: [{name: device}]
            requests: {cpu: "12", memory: 96Gi}
            limits: {memory: 96Gi}
          securityContext: {allowPrivilegeEscalation: false}
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
      resourceClaims:
        - {name: device, resourceClaimTemplateName: one-device}
      dnsPolicy: ClusterFirst
      restartPolicy: Never
      schedulerName: default-scheduler
      securityContext: {}
      serviceAccount: stowplan-runner
      serviceAccountName: stowplan-runner
      terminationGracePeriodSeconds: 30
```

```yaml fleet/claims.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: claims
spec:
  selector: {clusters: [north]}
  manifests: fleet/components/claims
  wave: 4
  values:
    deviceClass: gpu.nvidia.com
```

## References

- [Kueue, dynamic resource allocation](https://kueue.sigs.k8s.io/docs/concepts/dynamic_resource_allocation/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2097", "claim-not-counted", Level.ERROR, since="0.1", stage=Stage.KUEUE)
