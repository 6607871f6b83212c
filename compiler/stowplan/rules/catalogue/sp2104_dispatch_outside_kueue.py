"""Runtime that MultiKueue cannot dispatch.

## What it checks

An intent whose dispatch owner is MultiKueue has a runtime that Kueue holds.

## Why it matters

A Volcano Job has no queue in Kueue: it would start on the manager.

## Example

```text
runtime: VolcanoJob          # planes: training: multikueue
```

## Use instead

```text
runtime: VolcanoJob
dispatch: direct
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2104", "dispatch-outside-kueue", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
