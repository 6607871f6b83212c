"""Namespace that does not belong to the intent's tenant.

## What it checks

The `namespace` of an intent is among those of its tenant; without one the tenant's first is taken.

## Why it matters

The namespace decides which LocalQueue, which service account and which secrets a job gets. In a foreign one it would
run on the quota and with the rights of others.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  namespace: vision  # error
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  namespace: research
```

## References

- [Kubernetes, namespaces](https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0315", "namespace-not-of-tenant", Level.ERROR, since="0.1")
