"""Manager's quota above what its workers can give.

## What it checks

Summed over all of the manager's queues, accelerators are no more than the quota of the workers' queues behind them,
each of those counted once.

## Why it matters

Jobs beyond it hold the manager's quota while no worker can run them; there is no built-in end to that.

## Example

```text
# manager queues for [north] and [north, south] both count north's 80
```

## Use instead

```text
# the set [north, south] counts south's quota only, and borrows from the other
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2055", "manager-quota", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
