"""Pods that the namespace which they are rendered into would not let in.

## What it checks

Every pod template of a rendered object is judged by the Pod security standard that the rendered Namespace of the same
API server enforces (label `pod-security.kubernetes.io/enforce`, with its version), as the server's own admission does,
check by check.

## Why it matters

The Deployment, Job, or JobSet itself is accepted, with a warning at most, and the sync is green. Each of its pods is
refused by itself: the job waits for ever, with quota admitted to it, and the reason stands in an event.

## Example

```yaml fleet/components/north/probe.yaml
apiVersion: v1
kind: Pod
metadata:
  name: probe
  namespace: speech
spec:
  hostNetwork: true  # error, SP8005
  containers:
    - name: probe
      image: registry.example.com/probe@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
```

## Use instead

```yaml fleet/components/north/probe.yaml
apiVersion: v1
kind: Pod
metadata:
  name: probe
  namespace: speech
spec:
  containers:
    - name: probe
      image: registry.example.com/probe@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
```

## References

- [Kubernetes, pod security standards](https://kubernetes.io/docs/concepts/security/pod-security-standards/)
- [Kubernetes, pod security admission](https://kubernetes.io/docs/concepts/security/pod-security-admission/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0840", "pods-not-let-in", Level.ERROR, since="0.1", stage=Stage.KUEUE, configurable=True)
