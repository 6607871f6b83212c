"""Suppression comment that does not say why.

## What it checks

A `# stowplan: allow[CODE]` comment has a reason after the bracket. Without one it suppresses nothing.

## Why it matters

The next reader has to know whether the reason still holds. Without one, nobody dares to remove the comment.

## Example

```yaml fleet/artifacts.yaml
size: 4Ti  # stowplan: allow[SP0105]  # error
```

## Use instead

Write the reason, or remove the comment:

```yaml fleet/artifacts.yaml
size: 4Ti
```

## References

- `stowplan explain unused-suppression`
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0114", "suppression-without-reason", Level.ERROR, since="0.1", stage=Stage.SOURCE)
