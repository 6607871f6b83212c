"""File with so many problems that the rest of it is not judged.

## What it checks

Reading a file stops after a hundred problems.

## Why it matters

A file with hundreds of problems is most often not what it was taken for, and one cause has produced them all. Mend
the first few and run again.

## Example

```yaml fleet/example.yaml
switches:
  - [yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes]
  - [yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes]
  - [yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes]
  - [yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes]
  - [yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes]  # error
```

## Use instead

```yaml fleet/example.yaml
switches: [true, true]
```

## References

- `stowplan explain ambiguous-plain-scalar`
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0115", "too-many-problems", Level.ERROR, since="0.1", stage=Stage.SOURCE)
