"""Kueue and Trainer that do not agree on TrainJobs.

## What it checks

Kueue 0.17 and newer run with Trainer 2.2, from 0.20 on with newer ones too, older with older; the patch of Kueue's own
manager is not rendered.

## Why it matters

Kueue starts a TrainJob through a patch that an older Trainer drops, and by an update that Trainer 2.3 refuses: the job
is admitted and never starts.

## Example

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: TrainJob
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
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
    trainer: 2.1.0  # error
    training-operator: 1.9.3
    mpi-operator: 0.8.0
    kuberay: 1.6.0
    lws: 0.8.0
    volcano: 1.12.0
  storage: {objectStore: "s3://hub", classes: {fast: nvme}}
```

## Use instead

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: TrainJob
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
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
  storage: {objectStore: "s3://hub", classes: {fast: nvme}}
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2077", "trainer-release", Level.ERROR, since="0.1", stage=Stage.KUEUE)
