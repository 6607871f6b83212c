"""Rendered field that another manager owns now.

## What it checks

The value is as rendered, but managedFields names another writer as the only owner.

## Why it matters

The next change of the field will conflict, or will be fought over; the engine no longer holds it.

## Example

`spec.resourceGroups` of a ClusterQueue, applied with force by `quota-bot`.

## Use instead

Stop the other writer, or leave the field to it.

## References

- [Kubernetes, server-side apply: transferring ownership](https://kubernetes.io/docs/reference/using-api/server-side-apply/#transferring-ownership)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1104", "field-taken-over", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
