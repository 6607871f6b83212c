"""Reference to a priority that the Fleet does not define.

## What it checks

Priorities of intents and tenants, and the default priority, are among the `priorities` of the Fleet.

## Why it matters

Priorities are lowered to WorkloadPriorityClasses. A workload whose class does not exist is refused when it is
created; with an intent that was meant to preempt others this shows at the worst moment.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  priority: urgent  # error
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  priority: production
```

## References

- [Kueue, WorkloadPriorityClass](https://kueue.sigs.k8s.io/docs/concepts/workload_priority_class/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0308", "unknown-priority", Level.ERROR, since="0.1")
