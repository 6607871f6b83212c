"""Cohorts that are each other's parents.

## What it checks

The parents of cohorts form trees: following `parent` from any cohort ends.

## Why it matters

Kueue computes what may be borrowed from the root of a tree downwards. It marks the ClusterQueues of a cohort cycle
inactive, and stops admitting their work until the cycle is gone.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  parent: sites  # error
---
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: sites
spec:
  parent: labs
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  parent: sites
---
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: sites
spec:
  fairSharing: {weight: 1}
```

## References

- [Kueue, Cohort](https://kueue.sigs.k8s.io/docs/concepts/cohort/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0304", "cohort-cycle", Level.ERROR, since="0.1")
