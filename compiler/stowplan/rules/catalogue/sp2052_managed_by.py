"""Job with the wrong manager in `managedBy`.

## What it checks

A job whose queue dispatches through MultiKueue says so in its kind's field (`spec.managedBy`, or
`spec.runPolicy.managedBy`), and no other job does.

## Why it matters

Kueue fills the field in only at creation and only if it knows queue and check already. A job that came before them is
rejected for good, and one that is left to MultiKueue by mistake never starts.

## Example

```text
kind: Job
metadata:
  labels: {kueue.x-k8s.io/queue-name: north}    # a MultiKueue queue
```

## Use instead

```text
kind: Job
metadata:
  labels: {kueue.x-k8s.io/queue-name: north}
spec:
  managedBy: kueue.x-k8s.io/multikueue
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2052", "managed-by", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
