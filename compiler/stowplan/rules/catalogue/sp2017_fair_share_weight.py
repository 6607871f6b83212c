"""Fair-sharing weight that is too small to count.

## What it checks

A weight is 0, or larger than a thousand millionth.

## Why it matters

Kueue refuses the object: shares are divided by weights.

## Example

```text
fairSharing: {weight: 1n}
```

## Use instead

```text
fairSharing: {weight: 100m}
```

## References

- [Kueue, fair sharing](https://kueue.sigs.k8s.io/docs/concepts/fair_sharing/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2017", "fair-share-weight", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
