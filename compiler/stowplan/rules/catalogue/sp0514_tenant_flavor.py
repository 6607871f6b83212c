"""The tenant may not use the flavor.

## What it checks

Where a tenant has `allow.flavors`, the flavor is among them.

## Why it matters

Scarce cards are bought for somebody. A tenant without permission gets no quota of them either way, but the reason
should name the permission and not an empty quota.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: cpu
spec:
  capacityType: on-demand
---
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16}]
  allow: {flavors: [cpu]}  # reason
---
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: vision
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: cpu
spec:
  capacityType: on-demand
---
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16}]
  allow: {flavors: [cpu, h100]}
---
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: vision
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
```

## References

- [Kueue, ResourceFlavor](https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0514", "tenant-flavor", Level.NOTE, since="0.1", stage=Stage.PLAN)
