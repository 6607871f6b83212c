"""Region in which no cluster lies.

## What it checks

Regions that intents and tenants name are the `region` of some Cluster.

## Why it matters

A misspelt region among the allowed ones forbids the right one. For a service it also means replicas that are declared
for users whom nobody serves.

## Example

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
  regions: [west]  # error
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
  regions: [east]
```

## References

- `stowplan schema KIND` prints what a kind may hold, with units
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0318", "unknown-region", Level.ERROR, since="0.1")
