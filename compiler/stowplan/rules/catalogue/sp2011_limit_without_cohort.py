"""Borrowing or lending limit that has nobody on the other side, or lends more than there is.

## What it checks

`borrowingLimit` and `lendingLimit` of a ClusterQueue need a cohort, those of a Cohort a parent; a ClusterQueue lends
no more than its nominal quota.

## Why it matters

Kueue refuses the object.

## Example

```text
spec:
  resourceGroups: # no cohortName
  - flavors: [{name: h200, resources: [{name: cpu, nominalQuota: "8", borrowingLimit: "4"}]}]
```

## Use instead

```text
spec:
  cohortName: research
  resourceGroups:
  - flavors: [{name: h200, resources: [{name: cpu, nominalQuota: "8", borrowingLimit: "4"}]}]
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2011", "limit-without-cohort", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
