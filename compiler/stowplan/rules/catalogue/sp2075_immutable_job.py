"""Job changed in a field that cannot change.

## What it checks

Between two revisions queue, priority class (once stated), manager, elasticity, and what JobSet and TrainJob fix at
creation stay as they are.

## Why it matters

The API server or a webhook refuses the change, at every sync.

## Example

```text
labels: {kueue.x-k8s.io/queue-name: south}    # before: north
```

## Use instead

```text
# the job ends first (`state: done`), then comes again under another queue
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2075", "immutable-job", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
