"""The cluster is of another environment.

## What it checks

The `environment` that the intent asks for is the Cluster's, and the environments that its tenant may use
(`allow.environments`) hold it.

## Why it matters

What is tried out must not run beside what is paid for, nor with its credentials. The border is as good as its weakest
cluster.

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
  environment: staging  # reason
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
  environment: production
```

## References

- [Kubernetes, multi-tenancy](https://kubernetes.io/docs/concepts/security/multi-tenancy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0511", "environment", Level.NOTE, since="0.1", stage=Stage.PLAN)
