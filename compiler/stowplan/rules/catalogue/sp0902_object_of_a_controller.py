"""Rendered object that a controller makes and keeps by itself.

## What it checks

Kinds and names that belong to a controller as a whole, such as Kueue's Workloads, Karmada's bindings, or the autoscaler
that KEDA makes for a ScaledObject, are not rendered.

## Why it matters

The controller overwrites or deletes what it finds, and an engine that prunes deletes what the controller needs.

## Example

```text
kind: Workload
apiVersion: kueue.x-k8s.io/v1beta2
```

## Use instead

Render what the controller makes its object from: the job, the policy, the ScaledObject.

## References

- [Kubernetes, owners and dependents](https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0902", "object-of-a-controller", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
