"""Reference to a Tenant that no document states.

## What it checks

The tenant of every intent is a Tenant of the workspace.

## Why it matters

Namespace, quota, permissions and priorities of an intent come from its tenant. Without one there is no LocalQueue to
submit to, and a job without a queue either runs past all quotas or never starts.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: reserch  # error
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
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
```

## References

- [Kueue, LocalQueue](https://kueue.sigs.k8s.io/docs/concepts/local_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0306", "unknown-tenant", Level.ERROR, since="0.1")
