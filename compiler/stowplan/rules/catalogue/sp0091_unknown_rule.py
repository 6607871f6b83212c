"""Level of a rule that does not exist.

## What it checks

Every key of a table of rule levels is the code or the name of a rule in the catalogue.

## Why it matters

A level that is set for a mistyped rule does nothing, and nobody notices: the rule stays as strict, or as silent, as
it was.

## Example

```toml
[levels]
unused-supression = "error"
```

## Use instead

```toml
[levels]
unused-suppression = "error"
```

## References

- `stowplan rules` lists all codes and names
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0091", "unknown-rule", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
