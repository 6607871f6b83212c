"""Server without a readiness probe.

## What it checks

Every container of a Deployment or StatefulSet that declares a port has a `readinessProbe`.

## Why it matters

Without one, a pod gets requests as soon as its process starts. A model server that still loads its weights for minutes
answers them with errors, and a rollout goes on although no new pod works.

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
          ports: [{containerPort: 8000}]
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
          ports: [{containerPort: 8000}]
          readinessProbe: {httpGet: {path: /ready, port: 8000}}
```

## References

- [Kubernetes, probes](https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8007", "probes-on-servers", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
