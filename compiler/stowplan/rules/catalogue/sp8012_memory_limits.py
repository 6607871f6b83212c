"""Container without a memory limit.

## What it checks

Every container of a rendered pod template has a limit of `memory`, or its pod has `resources` of its own. Training
runtimes are left out.

## Why it matters

A container without one may take all memory of its node, and the kernel then kills whatever it likes, perhaps another
tenant's job.

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
          resources: {requests: {memory: 1Gi}}
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
          resources: {requests: {memory: 1Gi}, limits: {memory: 1Gi}}
```

## References

- [Kubernetes, resource management](https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8012", "memory-limits", Level.NOTE, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
