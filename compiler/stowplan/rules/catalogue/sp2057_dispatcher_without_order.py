"""Dispatcher whose order the manager's release does not keep.

## What it checks

`hubs.kueue.dispatcher: Incremental` is used with Kueue 0.19 or newer.

## Why it matters

Older releases go through the clusters by name. The compiler then puts one cluster into each candidate set, so that
its own order holds.

## Example

```text
hubs:
  kueue: {cluster: hub, dispatcher: Incremental}   # hub runs 0.17
```

## Use instead

```text
hubs:
  kueue: {cluster: hub}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2057", "dispatcher-without-order", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
