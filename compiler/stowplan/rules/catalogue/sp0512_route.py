"""The intent names other clusters.

## What it checks

Where an intent has a `route` or a list of `clusters`, the cluster is among them.

## Why it matters

An explicit choice of the user is kept, also where another cluster would be better. It is checked like any other: a
route to a cluster that cannot run the work is reported with all reasons.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  clusters: [hub]  # reason
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  clusters: [east]
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0512", "route", Level.NOTE, since="0.1", stage=Stage.PLAN)
