"""Second snapshot of one cluster.

## What it checks

A cluster has one InventorySnapshot. The one that is later by name is reported.

## Why it matters

Two snapshots are two truths. Which one counts must not follow from the names of files; history belongs in Git.

## Example

```yaml fleet/inventory/hub-old.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: hub-old
spec:
  cluster: hub  # error
  observedAt: "2026-10-31T06:00:00Z"
  kubernetes: v1.36.3
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

- `stowplan inventory` replaces snapshots
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0406", "two-snapshots", Level.ERROR, since="0.1")
