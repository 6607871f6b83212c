"""Component that no cluster gets.

## What it checks

At least one cluster satisfies every part of a component's selector. Pure hubs count only where the selector names them or
their role.

## Why it matters

Most often a role or label is misspelt, and the clusters lack what they were to have.

## Example

```yaml fleet/alerts.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  selector:  # error
    environments: [staging]
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

## Use instead

```yaml fleet/alerts.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  selector:
    environments: [production]
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

RULE = Rule("SP0743", "component-selects-nothing", Level.WARN, since="0.1")
