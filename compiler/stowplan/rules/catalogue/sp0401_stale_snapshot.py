"""Snapshot that is too old to count.

## What it checks

No snapshot is older than the fleet's `snapshotMaxAge`, as of the newest snapshot or of `--as-of`. The compiler reads
no clock.

## Why it matters

Capacity, prices and health change by the hour. A plan made from last week's facts sends gangs to nodes that are gone;
therefore nothing new is placed on a cluster whose facts are stale.

## Example

```yaml fleet/inventory/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: hub
spec:
  cluster: hub
  observedAt: "2026-10-28T06:00:00Z"  # error
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

- `stowplan inventory` takes snapshots
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0401", "stale-snapshot", Level.WARN, since="0.1", configurable=True)
