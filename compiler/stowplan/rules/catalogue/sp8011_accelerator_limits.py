"""Accelerators whose request is not their limit.

## What it checks

Of every extended resource (a name with a `/`, such as `nvidia.com/gpu`), a container that requests it limits it to the
same amount.

## Why it matters

Accelerators cannot be overcommitted: the API server refuses a pod whose request and limit of one differ. In the template
of a custom kind nobody notices before its pods are made.

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
          resources:
            requests: {nvidia.com/gpu: "4"}
            limits: {nvidia.com/gpu: "8"}
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
          resources:
            requests: {nvidia.com/gpu: "8"}
            limits: {nvidia.com/gpu: "8"}
```

## References

- [Kubernetes, device plugins](https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8011", "accelerator-limits", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
