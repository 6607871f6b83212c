"""Rendered field that a controller and the engine write in turn.

## What it checks

The live owner is a controller that the atlas knows for this field, or two looks at the cluster show the field changing
hands.

## Why it matters

Every sync starts the fight again; with jobs and workloads, each round restarts pods.

## Example

`spec.suspend` rendered on a queued Job and owned by `kueue`.

## Use instead

Take the field out of the template; see `field-owned-twice`.

## References

- [Kubernetes, server-side apply: conflicts](https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1106", "field-fought-over", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
