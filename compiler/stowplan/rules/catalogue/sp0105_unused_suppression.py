"""Suppression comment that suppresses nothing.

## What it checks

Each code of a `# stowplan: allow[CODE] reason` comment is known, may be suppressed, and is reported on the comment's
line (for a comment on a line of its own: on the next line that has content).

## Why it matters

A suppression that is left behind hides the next finding of that kind on its line, which nobody has looked at.

## Example

```yaml fleet/artifacts.yaml
size: 4Ti  # stowplan: allow[SP0102] two sizes were given during the move  # error
```

## Use instead

```yaml fleet/artifacts.yaml
size: 4Ti
```

## References

- `stowplan rules` lists all codes and names
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0105", "unused-suppression", Level.WARN, since="0.1", stage=Stage.SOURCE, configurable=True)
