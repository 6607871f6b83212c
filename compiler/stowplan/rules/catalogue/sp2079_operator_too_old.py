"""Operator that cannot do what Kueue does to its jobs.

## What it checks

JobSet is 0.6 or newer wherever Kueue holds JobSets. Where MultiKueue dispatches, on the manager and on every worker of
the set: training-operator 1.9, mpi-operator 0.6, and KubeRay 1.3.1 or newer.

## Why it matters

Older operators refuse to be suspended once Kueue has written node selectors into their pods, so that a job that lost
its quota runs on; and they know no `managedBy`, so that the manager's own operator runs the job too.

## Example

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: JobSet
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

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
    jobset: 0.5.2  # error
    trainer: 2.2.0
    training-operator: 1.9.3
    mpi-operator: 0.8.0
    kuberay: 1.6.0
    lws: 0.8.0
    volcano: 1.12.0
  storage: {objectStore: "s3://north", classes: {fast: nvme}}
```

## Use instead

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: JobSet
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

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
  storage: {objectStore: "s3://north", classes: {fast: nvme}}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2079", "operator-too-old", Level.ERROR, since="0.1", stage=Stage.KUEUE)
