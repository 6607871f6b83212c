"""Priority that the intent's tenant may not use.

## What it checks

The priority of an intent, or the fleet's default where it states none, is among the `priorities` of its tenant.

## Why it matters

Priority decides who is preempted. If every team could choose the highest one, there would be no order, and work that
must not be interrupted would be.

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
---
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: vision
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  priority: production  # error
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
---
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: vision
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  priority: normal
```

## References

- [Kueue, WorkloadPriorityClass](https://kueue.sigs.k8s.io/docs/concepts/workload_priority_class/)
- [Kueue, preemption](https://kueue.sigs.k8s.io/docs/concepts/preemption/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0314", "priority-not-allowed", Level.ERROR, since="0.1")
