"""Level of a rule that cannot be configured.

## What it checks

A table of levels changes only rules that are configurable.

## Why it matters

Some findings mean that the compiler does not know what the input says, or that what it would write is wrong. To
lower them would hide the finding and leave the damage.

## Example

```toml
[levels]
invalid-yaml = "off"
```

## Use instead

Remove the entry, and mend what the rule reports.

## References

- `stowplan rules` marks the rules whose level is fixed
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0093", "fixed-rule-level", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
