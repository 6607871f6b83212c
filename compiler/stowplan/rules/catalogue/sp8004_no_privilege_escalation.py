"""Container that does not forbid privilege escalation.

## What it checks

Every container of a rendered pod template sets `securityContext.allowPrivilegeEscalation: false`. Training runtimes are
left out.

## Why it matters

The default lets a set-user-ID program in the image become root, whatever user the container was started as.

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
          securityContext: {runAsNonRoot: true}
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
          securityContext: {allowPrivilegeEscalation: false}
```

## References

- [Kubernetes, pod security standards](https://kubernetes.io/docs/concepts/security/pod-security-standards/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8004", "no-privilege-escalation", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
