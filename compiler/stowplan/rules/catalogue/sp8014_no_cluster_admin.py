"""Binding to `cluster-admin`.

## What it checks

No rendered ClusterRoleBinding or RoleBinding refers to the role `cluster-admin`.

## Why it matters

Whoever is bound to it may do everything, now and with every kind that is added later. What comes from Git should ask for
what it needs.

## Example

```yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ops}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects:
  - {apiGroup: rbac.authorization.k8s.io, kind: Group, name: ops}
```

## Use instead

```yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ops}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects:
  - {apiGroup: rbac.authorization.k8s.io, kind: Group, name: ops}
```

## References

- [Kubernetes, RBAC good practices](https://kubernetes.io/docs/concepts/security/rbac-good-practices/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8014", "no-cluster-admin", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
