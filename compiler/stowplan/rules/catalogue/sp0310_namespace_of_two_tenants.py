"""Namespace that two tenants claim.

## What it checks

Every namespace belongs to one tenant. The tenant that is later by name is reported, the first one shown.

## Why it matters

A namespace is the border of RBAC, of network policies and of LocalQueues. Two tenants in one can read each other's
secrets and spend each other's quota.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision, research]  # error
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16}]
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
```

## References

- [Kubernetes, namespaces](https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/)
- [Kubernetes, multi-tenancy](https://kubernetes.io/docs/concepts/security/multi-tenancy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0310", "namespace-of-two-tenants", Level.ERROR, since="0.1")
