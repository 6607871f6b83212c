"""Workload that two autoscalers scale.

## What it checks

At most one HorizontalPodAutoscaler, ScaledObject, FederatedHPA or CronFederatedHPA names a workload as its target.

## Why it matters

Each autoscaler computes its own number of replicas and sets it; the workload swings between the two.

## Example

A HorizontalPodAutoscaler and a ScaledObject for the Deployment `team/web`.

## Use instead

Keep one. A ScaledObject makes a HorizontalPodAutoscaler of its own.

## References

- [KEDA, scaling deployments](https://keda.sh/docs/latest/concepts/scaling-deployments/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0909", "two-autoscalers", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
