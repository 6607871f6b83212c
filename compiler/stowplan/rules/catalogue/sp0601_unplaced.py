"""Workload that can run nowhere.

## What it checks

For every active intent there is a cluster and a flavor against which no predicate speaks. The finding shows the
nearest clusters with what speaks against them. Its level is the intent's `onUnplaced`.

## Why it matters

A job that fits nowhere would wait in a queue for ever and look as if it were only waiting. Every no has its reasons:
`stowplan explain workload/NAME` gives all of them for all clusters.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate  # error
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  accelerator: {minMemory: 200Gi}
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  accelerator: {minMemory: 70Gi}
```

## References

- Codes SP0510 to SP0543: the reasons
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0601", "unplaced", Level.WARN, since="0.1")
