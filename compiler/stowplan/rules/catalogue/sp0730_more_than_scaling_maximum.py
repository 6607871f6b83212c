"""More replicas declared for a cluster than `scaling.max` allows.

## What it checks

What the plan places in a cluster, from the declared replicas of its region, is no more than `scaling.max`.

## Why it matters

Declared replicas are a promise, the maximum a limit: one of the two is not meant. The promise is kept, and the autoscaler's
upper bound raised to it.

## Example

```text
regions: [{region: eu-west, replicas: 12}]
scaling: {by: hpa, min: 2, max: 8}
```

## Use instead

Raise `scaling.max`, or declare fewer replicas.

## References

- [Kubernetes, horizontal pod autoscaling](https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0730", "more-than-scaling-maximum", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
