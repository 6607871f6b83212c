"""Job with more pod sets than a Workload holds.

## What it checks

A job has at most 10 pod sets, 8 before Kueue 0.18.

## Why it matters

Kueue cannot make the Workload, so the job is never admitted.

## Example

```text
# a JobSet with twelve replicated jobs
```

## Use instead

```text
# fewer replicated jobs with more replicas
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2078", "too-many-podsets", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
