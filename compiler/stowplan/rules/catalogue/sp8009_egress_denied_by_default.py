"""Tenant namespace without a default-deny egress policy.

## What it checks

For every Namespace that carries the label `stowplan.io/tenant`, a NetworkPolicy that selects all pods and lists `Egress`
is rendered for the same cluster.

## Why it matters

Pods may talk to everything that no policy denies: a job of one tenant reaches the services of all others, and the
cloud's metadata service.

## Example

```yaml
apiVersion: v1
kind: Namespace
metadata:
  name: team
  labels: {stowplan.io/tenant: team}
```

## Use instead

```yaml
apiVersion: v1
kind: Namespace
metadata:
  name: team
  labels: {stowplan.io/tenant: team}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: default-deny, namespace: team}
spec:
  podSelector: {}
  policyTypes: [Egress, Ingress]
```

## References

- [Kubernetes, network policies](https://kubernetes.io/docs/concepts/services-networking/network-policies/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8009", "egress-denied-by-default", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
