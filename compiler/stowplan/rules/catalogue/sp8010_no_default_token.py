"""Pod with the token of the default service account.

## What it checks

Every rendered pod either names a service account or sets `automountServiceAccountToken: false`. Training runtimes are
left out.

## Why it matters

Rights that somebody grants to the `default` account of a namespace are then rights of every pod in it.

## Example

```yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
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
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      automountServiceAccountToken: false
      containers:
        - name: server
          image: registry.example/web@sha256:4444444444444444444444444444444444444444444444444444444444444444
```

## References

- [Kubernetes, service accounts for pods](https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8010", "no-default-token", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
