"""Document in a component's folder that is no Kubernetes object.

## What it checks

Every document in a component's folder has `apiVersion`, `kind`, and `metadata.name` (lists as kubectl prints them are taken
apart), and is finished: instructions for kustomize are not carried out.

## Why it matters

What is no object cannot be applied, and a build that does not happen leaves its patches out.

## Example

```yaml fleet/alerts.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  manifests: fleet/components/alerts
```

```yaml fleet/components/alerts/rules.yaml
apiVersion: v1  # error
kind: ConfigMap
metadata:
  namespace: monitoring
```

## Use instead

```yaml fleet/alerts.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  manifests: fleet/components/alerts
```

```yaml fleet/components/alerts/rules.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: rules
  namespace: monitoring
data:
  severity: page
```

## References

- [Kubernetes, objects](https://kubernetes.io/docs/concepts/overview/working-with-objects/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0745", "no-manifest", Level.ERROR, since="0.1")
