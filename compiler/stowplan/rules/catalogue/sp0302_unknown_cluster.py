"""Reference to a Cluster that no document states.

## What it checks

Hubs, quota rows, permissions, locations of artifacts, routes, waves and overrides name a Cluster of the workspace.

## Why it matters

A list of allowed clusters that names one which does not exist allows less than its author thinks, and a quota for a
cluster that was renamed is quota that nobody has.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  quota:
    - {flavor: h100, cluster: est, nominal: 8}  # error
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  quota:
    - {flavor: h100, cluster: east, nominal: 8}
```

## References

- [Kubernetes, object names and IDs](https://kubernetes.io/docs/concepts/overview/working-with-objects/names/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0302", "unknown-cluster", Level.ERROR, since="0.1")
