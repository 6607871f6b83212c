"""Component for Karmada, without Karmada or for a cluster that is no member.

## What it checks

Where a component is delivered by Karmada, the fleet has `hubs.karmada`, and every cluster that gets it is a member.

## Why it matters

Karmada writes into its members only; elsewhere the component would silently be missing.

## Example

```yaml fleet/alerts.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  manifests: fleet/components/alerts
  delivery: karmada  # error
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
  delivery: gitops
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

- [Karmada, resource propagating](https://karmada.io/docs/userguide/scheduling/resource-propagating/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0746", "component-delivery-impossible", Level.ERROR, since="0.1")
