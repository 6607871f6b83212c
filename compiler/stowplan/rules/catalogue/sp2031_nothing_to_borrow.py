"""Queue that may borrow what nobody in its cohort has.

## What it checks

Where a ClusterQueue has a borrowing limit for a flavor, some other queue or cohort of its tree has quota of that
flavor.

## Why it matters

The limit promises capacity that cannot come: flavors are matched by name, so a flavor of another name lends nothing.

## Example

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: media
spec: {}
---
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: media
  priorities: [normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 8, borrowingLimit: 8}  # error
```

## Use instead

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: media
spec: {}
---
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: research
  priorities: [normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 8, borrowingLimit: 8}
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2031", "nothing-to-borrow", Level.WARN, since="0.1", stage=Stage.KUEUE)
