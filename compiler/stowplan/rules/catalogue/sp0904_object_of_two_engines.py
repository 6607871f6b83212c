"""Object that two delivery engines hold in one cluster.

## What it checks

No object is applied to a cluster by Argo CD and by Flux, or by a GitOps engine and by Karmada. Templates on Karmada's
API server are followed into the members that their policy may choose.

## Why it matters

Both engines write with force, so each takes all fields back at every sync, and both prune.

## Example

The Deployment `team/asr` propagated to `east` by a PropagationPolicy and rendered for `east` as well.

## Use instead

Deliver the object one way. While moving from one engine to the other, switch the old one off for it first.

## References

- [Karmada, resource propagating](https://karmada.io/docs/userguide/scheduling/resource-propagating)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0904", "object-of-two-engines", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
