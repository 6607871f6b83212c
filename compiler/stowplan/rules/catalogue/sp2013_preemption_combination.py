"""Preemption settings that Kueue refuses, or that do nothing.

## What it checks

`borrowWithinCohort` needs `reclaimWithinCohort`; it does nothing under fair sharing; and a queue with quota of its
own that never reclaims is reported, since it may wait behind those who borrowed from it.

## Why it matters

A queue that lends but does not reclaim waits for its own quota until the borrowers are done.

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
    preemption:  # error
      reclaim: Never
      borrow: {policy: LowerPriority}
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
    preemption:
      reclaim: Any
      borrow: {policy: LowerPriority}
```

## References

- [Kueue, preemption](https://kueue.sigs.k8s.io/docs/concepts/preemption/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2013", "preemption-combination", Level.ERROR, since="0.1", stage=Stage.KUEUE)
