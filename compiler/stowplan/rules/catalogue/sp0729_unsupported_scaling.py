"""Scaling that nothing renders or measures.

## What it checks

`scaling.by` is `hpa` or `none`, and the engine has a metric for `scaling.metric`.

## Why it matters

An autoscaler without its metric does nothing, and looks as if all were quiet.

## Example

```text
engine: {type: tgi, image: tgi-image}
scaling: {by: hpa, max: 4, metric: kv-cache}
```

## Use instead

Choose a metric that the finding names; serve it through a custom metrics adapter.

## References

- [Kubernetes, horizontal pod autoscaling](https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0729", "unsupported-scaling", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
