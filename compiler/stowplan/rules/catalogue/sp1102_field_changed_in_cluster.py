"""Rendered field with another value in the cluster.

## What it checks

Values are compared as an API server would: quantities by amount, items of keyed lists by their keys, defaults filled in.
The live owner of the field is named from managedFields.

## Why it matters

Somebody changed the field, or the engine has not caught up. A value that stays different for more than one sync
interval is a sign that the engine is not allowed to, or that two writers fight.

## Example

`spec.replicas` rendered as 2 and live as 9, owned by `kubectl (Update)`.

## Use instead

Put the change into Git, or let the engine put it back.

## References

- [Kubernetes, server-side apply: managers](https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1102", "field-changed-in-cluster", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
