"""Component whose folder is missing or empty.

## What it checks

`manifests` of a Component names a file or folder below `fleet/`, `policies/`, or `templates/` that holds YAML files or
templates (`.j2`).

## Why it matters

The component would be rendered as nothing, and what it was in the clusters would be pruned.

## Example

```yaml fleet/alerts.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  manifests: fleet/components/alarms  # error
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

RULE = Rule("SP0740", "component-without-manifests", Level.ERROR, since="0.1")
