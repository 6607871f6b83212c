"""Deployment of several replicas without a PodDisruptionBudget.

## What it checks

For every Deployment that asks for more than one replica, itself or by its autoscaler's minimum, a PodDisruptionBudget
whose selector matches its pods is rendered for the same namespace and cluster.

## Why it matters

A drain of nodes may take all replicas at once where nothing says how many must stay.

## Example

```yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: server
          image: registry.example/web@sha256:4444444444444444444444444444444444444444444444444444444444444444
```

## Use instead

```yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: server
          image: registry.example/web@sha256:4444444444444444444444444444444444444444444444444444444444444444
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: team}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: web}}
```

## References

- [Kubernetes, disruptions](https://kubernetes.io/docs/concepts/workloads/pods/disruptions/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8008", "disruption-budget", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
