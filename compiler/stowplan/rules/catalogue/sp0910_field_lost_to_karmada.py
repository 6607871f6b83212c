"""Field of a member's controller that Karmada takes away.

## What it checks

Karmada writes a propagated object as a whole, not field by field. For each copy in a member, fields that a controller
there writes must be retained: by Karmada itself, by the retain-replicas label, or by a ResourceInterpreterCustomization.

## Why it matters

What is not rendered is removed or set to its default at each write, so that a queue's suspension, or an autoscaler's
replicas, are undone.

## Example

A Job with a queue label, propagated to a member where Kueue runs.

## Use instead

Ship a ResourceInterpreterCustomization that retains the field, or deliver the job by another way.

## References

- [Karmada, customizing the resource interpreter](https://karmada.io/docs/userguide/globalview/customizing-resource-interpreter)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0910", "field-lost-to-karmada", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
