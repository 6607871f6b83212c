"""Rendered object that the cluster does not have.

## What it checks

Every rendered object is looked for in its cluster by group, kind, namespace, and name.

## Why it matters

Either the engine does not sync, or somebody deleted the object, or the API server refused it.

## Example

`stowplan drift` for a cluster where the Service `team/web` was deleted.

## Use instead

Look at the engine's own status for the unit, then sync.

## References

- [Argo CD, diffing](https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1101", "object-missing-in-cluster", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
