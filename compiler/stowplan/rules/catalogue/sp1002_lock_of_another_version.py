"""Lock in a format that this version does not read.

## What it checks

The `schemaVersion` of the lock is the one that this version of the compiler writes.

## Why it matters

An older compiler that ignored what it does not know would write back a lock without it. Decisions of the newer one
would be lost in a commit that looks harmless.

## Example

```json
{"schemaVersion": 2}
```

## Use instead

Compile with the version that wrote the lock, or a newer one: pin the version in CI and on laptops alike.

## References

- docs/decisions/0004-lock-and-plan.md
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1002", "lock-of-another-version", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
