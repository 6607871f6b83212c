"""Environment variable whose name is the compiler's.

## What it checks

No variable of an intent starts with `STOWPLAN_`.

## Why it matters

The compiler tells the program by such variables where data, checkpoints, and the attempt's own output are. A second
value would send attempts into each other's output.

## Example

```text
env: {STOWPLAN_OUTPUT_URI: s3://bucket/run}
```

## Use instead

```text
env: {RUN_NAME: first}
```

## References

- [Kubernetes, environment variables](https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2101", "reserved-variable", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
