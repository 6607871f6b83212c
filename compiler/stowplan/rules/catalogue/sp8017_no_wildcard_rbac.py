"""Role that allows everything of something.

## What it checks

No rule of a rendered Role or ClusterRole has `*` among its verbs or its resources.

## Why it matters

A wildcard also allows what is added later: new verbs such as `impersonate`, new kinds such as secrets of an operator.

## Example

```yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: user, namespace: team}
rules:
  - {apiGroups: [batch], resources: [jobs], verbs: ["*"]}
```

## Use instead

```yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: user, namespace: team}
rules:
  - {apiGroups: [batch], resources: [jobs], verbs: [get, list, watch]}
```

## References

- [Kubernetes, RBAC good practices](https://kubernetes.io/docs/concepts/security/rbac-good-practices/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8017", "no-wildcard-rbac", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
