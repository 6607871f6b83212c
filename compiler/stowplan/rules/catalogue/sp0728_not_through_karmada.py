"""Replicas on several nodes that Karmada cannot carry.

## What it checks

Where Karmada delivers a service whose replicas span nodes, its API server serves LeaderWorkerSets, and nobody scales
them in the members.

## Why it matters

Karmada accepts only kinds that it knows. And it writes whole objects: of what an autoscaler changed in a member it keeps
the replicas of Deployments, nothing else.

## Example

```text
replica: {accelerators: 16, nodes: 2, cpu: 192, memory: 1600Gi}
scaling: {by: hpa, max: 4}
```

## Use instead

Set `scaling.by: none`, or deliver the service directly: `dispatch: direct`.

## References

- [Karmada, resource propagating](https://karmada.io/docs/userguide/scheduling/resource-propagating/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0728", "not-through-karmada", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
