"""The tenant may not use the cluster.

## What it checks

Where a tenant has `allow.clusters`, the cluster is among them. An absent list allows all, an empty one none.

## Why it matters

Permissions stand with the tenant, where its owner reviews them, and not in every intent of a team.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16}]
  allow: {clusters: [hub]}  # reason
---
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: vision
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16}]
  allow: {clusters: [east]}
---
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: vision
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
```

## References

- [Kubernetes, multi-tenancy](https://kubernetes.io/docs/concepts/security/multi-tenancy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0513", "tenant-cluster", Level.NOTE, since="0.1", stage=Stage.PLAN)
