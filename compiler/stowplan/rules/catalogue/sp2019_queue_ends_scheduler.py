"""Queue that takes down Kueue's scheduler.

## What it checks

With fair sharing on, and a release of Kueue from 0.11 to 0.17, a ClusterQueue that is in no cohort preempts nothing within
itself.

## Why it matters

The search for whom to preempt goes on in the cohort once the queue's own work is used up, and these releases do not look
whether there is one. The first job that would not fit even then ends the manager. It starts, finds the same job, and ends
again: nobody's work is admitted on that cluster any more.

## Example

```yaml fleet/clusters/south.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: south
spec:
  owner: platform
  environment: production
  provider: onprem
  region: eu-west
  zone: eu-west-a
  failureDomain: south
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
  storage: {objectStore: "s3://south", classes: {fast: nvme}}
  kueue: {fairSharing: true}
```

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  priorities: [high, normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 8}
  queueing:
    preemption: {withinQueue: LowerPriority}  # error
```

## Use instead

```yaml fleet/clusters/south.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: south
spec:
  owner: platform
  environment: production
  provider: onprem
  region: eu-west
  zone: eu-west-a
  failureDomain: south
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
  storage: {objectStore: "s3://south", classes: {fast: nvme}}
  kueue: {fairSharing: true}
```

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: research
  priorities: [high, normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 8}
  queueing:
    preemption: {withinQueue: LowerPriority}
```

## References

- [Kueue, the repair](https://github.com/kubernetes-sigs/kueue/pull/10891)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2019", "queue-ends-scheduler", Level.WARN, since="0.1", stage=Stage.KUEUE)
