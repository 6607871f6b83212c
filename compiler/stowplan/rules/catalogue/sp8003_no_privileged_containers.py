"""Privileged container.

## What it checks

No container of a rendered pod template sets `securityContext.privileged`.

## Why it matters

A privileged container is root on its node: it reaches the devices, the kubelet's credentials and every other pod there.

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
          securityContext: {privileged: true}
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
      containers:
        - name: server
          image: registry.example/web@sha256:4444444444444444444444444444444444444444444444444444444444444444
          securityContext: {privileged: false}
```

## References

- [Kubernetes, pod security standards](https://kubernetes.io/docs/concepts/security/pod-security-standards/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8003", "no-privileged-containers", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
