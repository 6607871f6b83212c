"""Level that is none of `off`, `note`, `warn` and `error`.

## What it checks

Every value of a table of rule levels is one of the four levels.

## Why it matters

A level that is not understood cannot be followed, and a guess could let a run pass that was meant to fail.

## Example

```toml
[levels]
unused-suppression = "fatal"
```

## Use instead

```toml
[levels]
unused-suppression = "error"
```

## References

- `stowplan rules` shows the level of each rule
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0092", "unknown-level", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
