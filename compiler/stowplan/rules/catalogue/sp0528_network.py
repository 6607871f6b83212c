"""The fabric is too slow, or its MTU too small.

## What it checks

The bandwidth of a node is at least `network.minGigabitsPerSecond` of the intent, and the cluster's MTU at least
`network.minMtu`.

## Why it matters

The step time of data-parallel training is bounded by the slowest node's link. An MTU that is too small costs
throughput on the whole path and is found last.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
  network: {minGigabitsPerSecond: 6400}  # reason
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
  network: {minGigabitsPerSecond: 3200}
```

## References

- [NCCL, environment variables](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0528", "network", Level.NOTE, since="0.1", stage=Stage.PLAN)
