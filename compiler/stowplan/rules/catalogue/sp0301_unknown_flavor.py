"""Reference to a Flavor that no document states.

## What it checks

Quota rows, tenants' permissions, node groups, prices and queue states of snapshots name a Flavor of the workspace.

## Why it matters

A flavor is lowered to a Kueue ResourceFlavor. A ClusterQueue that references a missing ResourceFlavor is inactive:
nothing in it is admitted, and every job of the tenant waits without an error on the job itself.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  quota:
    - {flavor: h-100, nominal: 8}  # error
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  quota:
    - {flavor: h100, nominal: 8}
```

## References

- [Kueue, ResourceFlavor](https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/)
- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0301", "unknown-flavor", Level.ERROR, since="0.1")
