"""Object of ours that is not rendered any more.

## What it checks

Live objects that carry the marks of the compiler or of one of the fleet's Applications or Kustomizations, and that no
unit renders. Marks that were copied from another object do not count.

## Why it matters

Pruning is off for the object, or its removal was held back; it goes on using capacity and answering requests.

## Example

The Service `team/old` with the tracking annotation of a known Application.

## Use instead

Delete the object once nothing needs it, or render it again.

## References

- [Flux, garbage collection](https://fluxcd.io/flux/components/kustomize/kustomizations/#prune)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1105", "orphaned-object", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
