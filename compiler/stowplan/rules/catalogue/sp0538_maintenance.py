"""The cluster is in maintenance, or will be before the work ends.

## What it checks

As of the evaluation no `maintenance` window of the cluster is open; and work that may not be interrupted ends,
waiting included, before the next one starts.

## Why it matters

A drain evicts what runs. For a gang of forty hours that starts ten hours before the window, thirty hours are missing
at its end.

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
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0, jobset: 0.11.1}
  storage: {objectStore: "s3://east"}
  maintenance:
    - {from: "2026-11-01T05:00:00Z", until: "2026-11-01T09:00:00Z", reason: switch firmware}  # reason
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
  maintenance:
    - {from: "2026-11-08T05:00:00Z", until: "2026-11-08T09:00:00Z", reason: switch firmware}
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

- [Kubernetes, safely drain a node](https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0538", "maintenance", Level.NOTE, since="0.1", stage=Stage.PLAN)
