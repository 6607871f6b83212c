"""Preference between borrowing and preempting while the search stops early.

## What it checks

`flavorFungibility.preference` is set only where `whenCanBorrow` and `whenCanPreempt` are both `TryNextFlavor`.

## Why it matters

Kueue refuses the object: it can only prefer where it has looked at every flavor.

## Example

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: research
  priorities: [normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 8}
  queueing:
    fungibility: {preference: BorrowingOverPreemption}  # error
```

## Use instead

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: research
  priorities: [normal]
  quota:
    - {flavor: l40s, cluster: south, nominal: 8}
  queueing:
    fungibility: {whenCanBorrow: TryNextFlavor, preference: BorrowingOverPreemption}
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2014", "fungibility-preference", Level.ERROR, since="0.1", stage=Stage.KUEUE)
