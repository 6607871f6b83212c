"""Quota below what is admitted.

## What it checks

The nominal quota of a ClusterQueue covers what the snapshot saw admitted through it.

## Why it matters

What is beyond becomes borrowed at once, and may be preempted.

## Example

```text
quota: [{flavor: h200, cluster: north, nominal: 16}]     # 24 are admitted
```

## Use instead

```text
quota: [{flavor: h200, cluster: north, nominal: 24}]
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2095", "quota-below-use", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
