"""Pod that mounts a path of its node.

## What it checks

No rendered pod has a volume of type `hostPath`.

## Why it matters

A path of the node is shared with whatever else runs there, survives the pod, and often is a way to become root on the
node.

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
      volumes:
        - name: cache
          hostPath: {path: /var/cache}
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
      volumes:
        - name: cache
          emptyDir: {}
      containers:
        - name: server
          image: registry.example/web@sha256:4444444444444444444444444444444444444444444444444444444444444444
```

## References

- [Kubernetes, pod security standards](https://kubernetes.io/docs/concepts/security/pod-security-standards/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8006", "no-host-paths", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
