"""Workload that ends after its deadline.

## What it checks

The time to result of what is placed (queue wait, staging, run, expected rework) is within the intent's `deadline`,
counted from as-of.

## Why it matters

The deadline does not change what is eligible: a late result may still be the best there is. But it must be known
before the job has run for days.

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
  duration: {expectedPerShard: 3h}
  interruptible: true
  deadline: 2h  # error
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
  duration: {expectedPerShard: 3h}
  interruptible: true
  deadline: 72h
```

## References

- `stowplan explain workload/NAME` shows the parts of the time
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0608", "deadline-missed", Level.WARN, since="0.1", configurable=True)
