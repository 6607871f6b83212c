"""Container that adds a capability of the kernel.

## What it checks

Containers of rendered pod templates add no capability but `NET_BIND_SERVICE` and `IPC_LOCK`, which pinned memory for
remote direct memory access needs.

## Why it matters

Most capabilities are a way to become root on the node.

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
          securityContext: {capabilities: {add: [SYS_ADMIN]}}
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
          securityContext: {capabilities: {add: [IPC_LOCK]}}
```

## References

- [Kubernetes, pod security standards](https://kubernetes.io/docs/concepts/security/pod-security-standards/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8013", "no-added-capabilities", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
