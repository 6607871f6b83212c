"""Work that may not be interrupted on quota that may be taken back.

## What it checks

An intent with `interruptible: false` is admitted without borrowing.

## Why it matters

Whoever lent the quota reclaims it by preemption, and Kueue spares no job for being uninterruptible.

## Example

```text
interruptible: false        # the tenant's nominal quota is 32, the gang has 40
```

## Use instead

```text
# a nominal quota of 40 for the tenant
```

## References

- [Kueue, preemption](https://kueue.sigs.k8s.io/docs/concepts/preemption/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2094", "uninterruptible-on-borrowed-quota", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
