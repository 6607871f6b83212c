"""Permission to share a field that nothing uses.

## What it checks

Each entry of an OwnershipPolicy's `sharedFields` allows a conflict that would be there without it.

## Why it matters

A permission nobody needs hides the next conflict on the same field.

## Example

An entry for `spec.suspend` of Job, while no rendered Job has the field.

## Use instead

Remove the entry.

## References

- [Kubernetes, server-side apply: conflicts](https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0908", "unused-shared-field", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
