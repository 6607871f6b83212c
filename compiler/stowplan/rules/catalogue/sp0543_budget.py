"""The work alone would cost more than its tenant's budget.

## What it checks

The expected cost on the flavor (accelerator hours, rework after interruptions, transfer of data) is within the budget
of the tenant.

## Why it matters

One run that is larger than the budget of the month is a mistake, or a decision for somebody else. The sum over all
work is looked at by SP0607.

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
  budget: {amount: 100}  # reason
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate  # reason
spec:
  tenant: vision
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 24h}
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
  budget: {amount: 1000}
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
  duration: {expectedPerShard: 24h}
  interruptible: true
```

## References

- [FinOps Framework](https://www.finops.org/framework/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0543", "budget", Level.NOTE, since="0.1", stage=Stage.PLAN)
