"""The cluster does not take this class of work.

## What it checks

The `roles` of the Cluster hold the class of the intent: training, batch, inference or interactive. A cluster whose
only role is `hub` is no candidate at all.

## Why it matters

Roles keep classes apart that disturb each other: a gang that takes whole nodes for days beside services that must
scale within minutes.

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
  region: east
  zone: east-a
  failureDomain: east-a
  jurisdiction: US
  roles: [training, batch]  # reason
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0, jobset: 0.11.1}
  storage: {objectStore: "s3://east"}
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks  # reason
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
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
  region: east
  zone: east-a
  failureDomain: east-a
  jurisdiction: US
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0, jobset: 0.11.1}
  storage: {objectStore: "s3://east"}
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
```

## References

- [Kubernetes, multi-tenancy](https://kubernetes.io/docs/concepts/security/multi-tenancy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0510", "role", Level.NOTE, since="0.1", stage=Stage.PLAN)
