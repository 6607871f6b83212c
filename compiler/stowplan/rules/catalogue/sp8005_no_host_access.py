"""Pod that shares something of its node.

## What it checks

Rendered pods set none of `hostNetwork`, `hostPID`, `hostIPC`, and their containers no `hostPort`.

## Why it matters

Such a pod sees the traffic or the processes of all others on the node, network policies do not hold for it, and two of
them cannot share a node.

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
      hostNetwork: true
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
      hostNetwork: false
      containers:
        - name: server
          image: registry.example/web@sha256:4444444444444444444444444444444444444444444444444444444444444444
```

## References

- [Kubernetes, pod security standards](https://kubernetes.io/docs/concepts/security/pod-security-standards/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8005", "no-host-access", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
