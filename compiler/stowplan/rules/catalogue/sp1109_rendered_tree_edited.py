"""Rendered tree that is not what its lock says.

## What it checks

`stowplan drift` compares every file that `rendered/stowplan.lock` lists with the digest that the lock has of it. A file that was edited
or removed by hand is reported; files that the lock does not list are nobody's business.

## Why it matters

The rendered tree is output. An edit by hand reaches the clusters at the next sync and is gone after the next compile, and nobody
reviewed its reason.

## Example

A line was added to `rendered/clusters/east/tenancy/namespace-research.yaml` after the last compile:

```text
error[SP1109]: `rendered/clusters/east/tenancy/namespace-research.yaml` was edited by hand: it is not what the lock says
```

## Use instead

Change the input or the template that the field comes from (`stowplan explain FILE` names them), then run `stowplan compile`.

## References

- [Argo CD, Best Practices](https://argo-cd.readthedocs.io/en/stable/user-guide/best_practices/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1109", "rendered-tree-edited", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
