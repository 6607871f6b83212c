"""Observed fact that contradicts what is declared.

## What it checks

What a snapshot observed agrees with the Cluster and with the Flavors it names: Kubernetes minor (a warning),
accelerator vendor, model and MIG profile, and the number of nodes in all domains.

## Why it matters

Either the declaration is out of date or the wrong cluster was looked at. Both make wrong manifests: the API versions
that are rendered follow the minor, and a flavor with other cards than its name says gets the jobs that need the named
ones.

## Example

```yaml fleet/inventory/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: hub
spec:
  cluster: hub
  observedAt: "2026-11-01T06:00:00Z"
  kubernetes: v1.35.4  # error
  health: {ready: true}
  apis: [kueue.x-k8s.io/v1beta2, argoproj.io/v1alpha1]
```

## Use instead

```yaml fleet/inventory/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: hub
spec:
  cluster: hub
  observedAt: "2026-11-01T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  apis: [kueue.x-k8s.io/v1beta2, argoproj.io/v1alpha1]
```

## References

- [Kubernetes, version skew policy](https://kubernetes.io/releases/version-skew-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0402", "contradicting-facts", Level.ERROR, since="0.1")
