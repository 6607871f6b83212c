"""Plan that costs a tenant more than its budget.

## What it checks

The expected costs of everything placed for a tenant (accelerator hours at the price of the capacity, rework after
interruptions, transfer of data) stay within its budget of a month.

## Why it matters

Each job may be affordable by itself (SP0543 looks at that) and all of them together not. The bill is known before the
jobs have run.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16}]
  budget: {amount: 30}  # error
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: vision
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: filter
spec:
  tenant: vision
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: vision
spec:
  namespaces: [vision]
  priorities: [normal]
  quota: [{flavor: h100, cluster: east, nominal: 16}]
  budget: {amount: 60}
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: vision
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: filter
spec:
  tenant: vision
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## References

- [FinOps Framework](https://www.finops.org/framework/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0607", "budget-exceeded", Level.WARN, since="0.1", configurable=True)
