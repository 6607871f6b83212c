"""Warning that the API server would give.

## What it checks

What the server would accept of a component's own manifest and warn of is told, such as a deprecated version. What the
compiler renders is in the version that the cluster serves.

## Why it matters

Nobody sees the warnings of an engine's apply. They announce what the next upgrade breaks.

## Example

```yaml fleet/components/north/search.yaml
apiVersion: ray.io/v1alpha1  # error
kind: RayCluster
metadata:
  name: search
  namespace: speech
spec:
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
          - name: ray-head
            image: registry.example.com/ray@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
```

## Use instead

```yaml fleet/components/north/search.yaml
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: search
  namespace: speech
spec:
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
          - name: ray-head
            image: registry.example.com/ray@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
```

## References

- [Kubernetes, deprecation policy](https://kubernetes.io/docs/reference/using-api/deprecation-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0813", "server-warning", Level.WARN, since="0.1", stage=Stage.KUEUE)
