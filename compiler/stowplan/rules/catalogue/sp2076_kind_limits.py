"""Job that breaks a rule of its own kind.

## What it checks

Names fit what the kind leaves (47 characters for RayJob, 53 for RayCluster, 63 else); a RayJob shuts its cluster down
and makes it itself; Ray's own autoscaler is on for elastic jobs only, and for none behind MultiKueue.

## Why it matters

KubeRay names services after the object. A RayJob that uses a cluster that there is would be admitted twice.

## Example

```yaml fleet/components/north/search.yaml
apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: search
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: speech}
spec:
  entrypoint: python search.py
  backoffLimit: 0
  ttlSecondsAfterFinished: 0
  submissionMode: HTTPMode
  shutdownAfterJobFinishes: false  # error
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {}
      template:
        spec:
          containers:
            - name: ray-head
              image: registry.example.com/ray@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
              resources:
                requests: {cpu: "4", memory: 16Gi}
                limits: {memory: 16Gi}
```

## Use instead

```yaml fleet/components/north/search.yaml
apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: search
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: speech}
spec:
  entrypoint: python search.py
  backoffLimit: 0
  ttlSecondsAfterFinished: 0
  submissionMode: HTTPMode
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {}
      template:
        spec:
          containers:
            - name: ray-head
              image: registry.example.com/ray@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
              resources:
                requests: {cpu: "4", memory: 16Gi}
                limits: {memory: 16Gi}
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2076", "kind-limits", Level.ERROR, since="0.1", stage=Stage.KUEUE)
