"""Suspension of a queued job in Git.

## What it checks

No job with a queue label says anything of `suspend`.

## Why it matters

Kueue's webhook sets the field at creation and Kueue flips it at admission. A rendered value takes it back at every
sync: all pods are replaced.

## Example

```text
kind: Job
spec:
  suspend: true
```

## Use instead

```text
kind: Job
spec:
  parallelism: 4
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2071", "suspend-rendered", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
