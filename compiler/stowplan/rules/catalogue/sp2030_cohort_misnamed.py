"""Cohort that is a misspelling, or its own ancestor.

## What it checks

A cohort that a queue or cohort names is rendered, or has at least two members; and no cohort is above itself.

## Why it matters

Kueue makes a new, empty cohort of any name: the queue shares with nobody and says nothing. A circle stops admission
in the whole tree.

## Example

```text
spec:
  cohortName: reserach
```

## Use instead

```text
spec:
  cohortName: research
```

## References

- [Kueue, Cohort](https://kueue.sigs.k8s.io/docs/concepts/cohort/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2030", "cohort-misnamed", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
