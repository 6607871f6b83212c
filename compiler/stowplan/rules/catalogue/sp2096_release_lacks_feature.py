"""Feature that the cluster's Kueue does not have.

## What it checks

Workers serve the version that the manager speaks; fields of v1beta2 are asked of clusters that serve it; gates that
rendered objects need are on.

## Why it matters

The field is pruned or ignored without a word.

## Example

```text
queueing:
  fungibility: {preference: BorrowingOverPreemption}     # the cluster serves v1beta1
```

## Use instead

```text
queueing:
  fungibility: {whenCanBorrow: TryNextFlavor}
```

## References

- [Kueue, configuration](https://kueue.sigs.k8s.io/docs/installation/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2096", "release-lacks-feature", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
