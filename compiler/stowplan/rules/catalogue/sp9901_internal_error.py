"""Bug of the compiler.

## What it checks

No exception leaves the compiler besides those that say that a file or a cluster cannot be reached. The exit code is
2, and nothing was written.

## Why it matters

A crash must not look like a finding of the fleet: the exit code 1 would tell CI that the inputs are wrong.

## Example

```text
error[SP9901]: internal error: KeyError: 'pool'
  = note: this is a bug in stowplan, not in your files; nothing was written
```

## Use instead

Run again with `STOWPLAN_TRACEBACK=1` in the environment and report what it prints.

## References

- CONTRIBUTING.md
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP9901", "internal-error", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
