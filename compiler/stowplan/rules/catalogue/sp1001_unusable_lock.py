"""Lock that cannot be read.

## What it checks

`rendered/stowplan.lock` is the JSON that the compiler wrote: UTF-8, without a merge conflict, each key once, paths
inside the tree, digests in full.

## Why it matters

The lock says where everything is and which files are ours. Without it all placements would be made anew, and nothing
that is no longer rendered could be removed.

## Example

```text
<<<<<<< HEAD
  "pretrain": [{"cluster": "east", "flavor": "h100"}],
=======
  "pretrain": [{"cluster": "west", "flavor": "h100"}],
>>>>>>> branch
```

## Use instead

Take the lock of the branch whose placements shall be kept (`git checkout --ours rendered/stowplan.lock`), and compile
again. The tree is generated; it is never merged by hand.

## References

- [Git, merge conflicts](https://git-scm.com/docs/git-merge#_how_conflicts_are_presented)
- docs/decisions/0004-lock-and-plan.md
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1001", "unusable-lock", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
