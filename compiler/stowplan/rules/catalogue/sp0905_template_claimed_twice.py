"""Karmada template that more than one policy selects.

## What it checks

For each object on Karmada's API server, at most one PropagationPolicy or ClusterPropagationPolicy selects it.

## Why it matters

Which policy claims a template depends on priorities, and where these are equal on history. The same manifests then
place the workload differently in a new control plane.

## Example

Two policies with `resourceSelectors` that both take the Deployment `team/asr`.

## Use instead

Select templates by name, each in one policy.

## References

- [Karmada, PropagationPolicy priority](https://karmada.io/docs/userguide/scheduling/resource-propagating)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0905", "template-claimed-twice", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
