"""Two managers of one worker with one origin.

## What it checks

The manager's origin (`kueue.origin` of its Cluster, else the fleet's name) is none of the `otherManagers` of a
worker.

## Why it matters

Each manager deletes Workloads with its origin that it does not know: the two delete each other's running jobs in
turns.

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
  storage: {objectStore: "s3://north", classes: {fast: nvme}}
  kueue: {otherManagers: [demo]}  # error
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
  storage: {objectStore: "s3://north", classes: {fast: nvme}}
  kueue: {otherManagers: [demo]}
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
  kueue: {origin: demo-batch}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2053", "origin-shared", Level.ERROR, since="0.1", stage=Stage.KUEUE)
