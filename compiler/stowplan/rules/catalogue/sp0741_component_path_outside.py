"""Path of a component's manifests that is not a place of its own in the workspace.

## What it checks

`manifests` is a path from the workspace's root: without `..` or `.` parts, not absolute, and below a folder that holds
nothing but this component.

## Why it matters

A compile that reads files outside of the workspace cannot be repeated elsewhere. A path to a whole folder such as `fleet`
would turn the fleet's own documents into manifests.

## Example

```yaml fleet/alerts.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: alerts
spec:
  manifests: ../alerts  # error
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

RULE = Rule("SP0741", "component-path-outside", Level.ERROR, since="0.1")
