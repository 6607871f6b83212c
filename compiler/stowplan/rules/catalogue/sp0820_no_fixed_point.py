"""Object that the API server would store in another form.

## What it checks

What is rendered is what comes back: defaults are stated, unknown fields are absent, quantities are canonical, empty
values are left out. Plain manifests of components are completed by the compiler; templates must say it themselves.

## Why it matters

A GitOps engine compares what is in Git with what is in the cluster. A field that the server rewrites is a difference
at every sync; the application is never in sync, self-healing applies it again and again, and real drift is lost in
the noise.

## Example

```yaml fleet/limits.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: limits
spec:
  selector: {clusters: [north]}
  manifests: fleet/components/limits
  values: {cpu: 64000m}  # error
```

```yaml fleet/components/limits/limits.yaml.j2
apiVersion: v1
kind: LimitRange
metadata:
  name: limits
  namespace: speech
spec:
  limits:
    - type: Pod
      max:
        cpu: "{{ values.cpu }}"
```

## Use instead

```yaml fleet/limits.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: limits
spec:
  selector: {clusters: [north]}
  manifests: fleet/components/limits
  values: {cpu: "64"}
```

```yaml fleet/components/limits/limits.yaml.j2
apiVersion: v1
kind: LimitRange
metadata:
  name: limits
  namespace: speech
spec:
  limits:
    - type: Pod
      max:
        cpu: "{{ values.cpu }}"
```

## References

- [Kubernetes, quantity](https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/)
- [Argo CD, diffing](https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0820", "no-fixed-point", Level.ERROR, since="0.1", stage=Stage.KUEUE)
