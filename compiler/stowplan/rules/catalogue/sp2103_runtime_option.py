"""Option that a runtime does not have.

## What it checks

Options are those of the intent's runtime and of the right form; a training runtime that an intent names is one that
the snapshot saw; an elastic job asks for no topology level.

## Why it matters

An option that nobody reads does nothing.

## Example

```text
runtime: TrainJob
options: {runtimeName: torch}
```

## Use instead

```text
runtime: TrainJob
options: {runtime: torch-distributed}
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2103", "runtime-option", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
