"""Kueue and Trainer that do not agree on TrainJobs.

## What it checks

Kueue 0.17 and newer run with Trainer 2.2 and newer, older with older; the patch of Kueue's own manager is not
rendered.

## Why it matters

Kueue starts a TrainJob through a patch that an older Trainer drops: the job is admitted and never starts.

## Example

```text
components: {kueue: 0.17.0, trainer: 2.1.0}
```

## Use instead

```text
components: {kueue: 0.17.0, trainer: 2.2.0}
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2077", "trainer-release", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
