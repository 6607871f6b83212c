"""Values for a cluster that does not get the component.

## What it checks

Every cluster that an override of a component names is selected by it.

## Why it matters

The values count for nothing; the author believes otherwise.

## Example

```yaml fleet/alerts.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  selector: {roles: [training]}
  manifests: fleet/components/alerts
  values: {severity: page}
  overrides:
    - clusters:
        - hub  # error
      values: {severity: ticket}
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
  selector: {roles: [training]}
  manifests: fleet/components/alerts
  values: {severity: page}
  overrides:
    - {clusters: [east], values: {severity: ticket}}
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

RULE = Rule("SP0744", "override-without-effect", Level.WARN, since="0.1")
