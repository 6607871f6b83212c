"""Change that cannot be judged, since it is not known what was rendered before.

## What it checks

A file that the lock lists and that is to be written anew is missing, or is not what the lock says, or holds no object
that can be read. What was in it is not guessed: the object is judged by itself, as if it were new.

## Why it matters

An immutable field may have changed, and nobody would say so before the cluster does. Guardrails see no `oldObject`.

## Example

```text
git rm -r rendered/clusters/east    # and the lock still lists it
stowplan compile
```

## Use instead

```text
git checkout HEAD -- rendered       # what was committed, and so what the clusters have
stowplan compile
```

## References

- docs/guide.md
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0831", "change-not-judged", Level.NOTE, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
