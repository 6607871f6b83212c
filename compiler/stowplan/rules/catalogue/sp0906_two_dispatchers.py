"""Workload that two dispatchers send to clusters.

## What it checks

A workload is dispatched by MultiKueue, or propagated by Karmada, or rendered for a member directly; never by two of
them. A job on the manager cluster is not rendered under the same name for a member.

## Why it matters

Two dispatchers start the work twice, or each removes the other's copy. MultiKueue never adopts an object that is there
already: the job then waits for ever and holds its quota.

## Example

A Job with `managedBy: kueue.x-k8s.io/multikueue` that a PropagationPolicy selects.

## Use instead

Give the workload one dispatch owner, by `dispatch` in the intent or by the planes table.

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0906", "two-dispatchers", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
