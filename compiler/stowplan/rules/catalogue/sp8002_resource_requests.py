"""Container that does not request cpu and memory.

## What it checks

Every container of a rendered pod template requests `cpu` and `memory`, or its pod has `resources` of its own. Training
runtimes are left out: resources come from the job.

## Why it matters

The scheduler and Kueue count requests. A container without them is placed as if it needed nothing, and its node, or its
quota, is booked twice.

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
          resources: {requests: {cpu: 500m}}
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
          resources: {requests: {cpu: 500m, memory: 1Gi}}
```

## References

- [Kubernetes, resource management](https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8002", "resource-requests", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
