"""Manifest that lives in a namespace and names none.

## What it checks

Every object of a component whose kind is namespaced states `metadata.namespace`.

## Why it matters

GitOps engines put it into a default namespace of their own choice, which differs between them.

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
apiVersion: v1
kind: ConfigMap
metadata:  # error
  name: rules
data:
  severity: page
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

- [Kubernetes, namespaces](https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0742", "manifest-without-namespace", Level.ERROR, since="0.1")
