"""Pods that the namespace which they are rendered into would not let in.

## What it checks

Every pod template of a rendered object is judged by the Pod security standard that the rendered Namespace of the same
API server enforces (label `pod-security.kubernetes.io/enforce`, with its version), as the server's own admission does,
check by check.

## Why it matters

The Deployment, Job, or JobSet itself is accepted, with a warning at most, and the sync is green. Each of its pods is
refused by itself: the job waits for ever, with quota admitted to it, and the reason stands in an event.

## Example

```text
kind: Namespace
metadata:
  name: research
  labels: {pod-security.kubernetes.io/enforce: baseline}
---
kind: Deployment
metadata: {name: probe, namespace: research}
spec:
  template:
    spec:
      hostNetwork: true
```

## Use instead

```text
kind: Deployment
metadata: {name: probe, namespace: monitoring}    # a namespace of the platform's own, that enforces nothing
```

## References

- [Kubernetes, pod security standards](https://kubernetes.io/docs/concepts/security/pod-security-standards/)
- [Kubernetes, pod security admission](https://kubernetes.io/docs/concepts/security/pod-security-admission/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0840", "pods-not-let-in", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
