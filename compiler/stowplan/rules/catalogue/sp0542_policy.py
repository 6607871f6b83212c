"""A rule of a PlacementPolicy does not hold.

## What it checks

For every hard rule whose `when` applies, `require` holds for the intent, the cluster and, where it reads `flavor`,
the flavor. A rule that cannot be evaluated counts as not met, and says why.

## Why it matters

What is particular to a house needs no change of the compiler. The reason that the rule states is what a person reads
in the plan.

## Example

```yaml policies/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: PlacementPolicy
metadata:
  name: notebooks
spec:
  rules:
    - name: notebooks-stay-on-old-cards
      when: "intent.kind == 'WorkspaceIntent'"
      require: "flavor.name != 'h100'"  # reason
      reason: notebooks are idle most of the time
```

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

## Use instead

```yaml policies/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: PlacementPolicy
metadata:
  name: notebooks
spec:
  rules:
    - name: notebooks-stay-on-old-cards
      when: "intent.kind == 'WorkspaceIntent'"
      require: "flavor.name == 'h100'"
      reason: notebooks are idle most of the time
```

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

- [Kubernetes, Common Expression Language](https://kubernetes.io/docs/reference/using-api/cel/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0542", "policy", Level.NOTE, since="0.1", stage=Stage.PLAN)
