"""Reference to a Cohort that no document states.

## What it checks

Cohorts of tenants and parents of cohorts are Cohorts of the workspace.

## Why it matters

Kueue makes a cohort of any name that a ClusterQueue mentions. A misspelt name therefore gives no error but a cohort
of its own, in which there is nobody to borrow from.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  parent: site  # error
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

RULE = Rule("SP0309", "unknown-cohort", Level.ERROR, since="0.1")
