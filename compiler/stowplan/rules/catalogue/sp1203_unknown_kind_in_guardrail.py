"""Guardrail over a kind that nobody knows.

## What it checks

Every kind in `match.kinds` of a GuardrailPolicy is a built-in kind, one of the custom kinds that ship with the compiler, one of a
cluster's own pack, `pods` (every kind that runs pods) or `*`. A kind without a schema can be named together with its
API group.

## Why it matters

A guardrail over a kind that is never rendered never fails.

## Example

```yaml policies/house.yaml
apiVersion: stowplan.io/v1alpha1
kind: GuardrailPolicy
metadata:
  name: house-rule
spec:
  match: {kinds: [Namespaces]}  # error
  validations:
    - expression: has(object.metadata)
```

## Use instead

```yaml policies/house.yaml
apiVersion: stowplan.io/v1alpha1
kind: GuardrailPolicy
metadata:
  name: house-rule
spec:
  match: {kinds: [Namespace]}
  validations:
    - expression: has(object.metadata)
```

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP1203", "unknown-kind-in-guardrail", Level.ERROR, since="0.1")
