"""Limit on borrowing or lending where there is nobody to share with.

## What it checks

`borrowingLimit` and `lendingLimit` stand only on quota of a tenant that has a cohort, or of a cohort that has a
parent.

## Why it matters

Kueue's API refuses a `borrowingLimit` of a ClusterQueue without a cohort. The limit also says that its author
believed in a sharing that does not take place.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16, borrowingLimit: 8}]  # error
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  fairSharing: {weight: 1}
---
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16, borrowingLimit: 8}]
  cohort: labs
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
- [Kueue, Cohort](https://kueue.sigs.k8s.io/docs/concepts/cohort/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0305", "unshared-limit", Level.ERROR, since="0.1")
