"""Field, variable, or function that an expression names and nothing has.

## What it checks

Names in CEL expressions are looked up: variables in the policy's scope, fields in the schema of the kinds that match (or
in the input language, for `intent`, `cluster`, `tenant` and `fleet`), functions in the dialect.

## Why it matters

A mistyped field is absent in every object: `has(...)` of it is always false, and a guardrail built on it never fails.

## Example

```yaml policies/house.yaml
apiVersion: stowplan.io/v1alpha1
kind: GuardrailPolicy
metadata:
  name: house-rule
spec:
  match: {kinds: [Namespace]}
  validations:
    - expression: has(object.metadata.label)  # error
      message: namespaces have labels
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
    - expression: has(object.metadata.labels)
      message: namespaces have labels
```

## References

- [Kubernetes, CEL](https://kubernetes.io/docs/reference/using-api/cel/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP1202", "unknown-name-in-expression", Level.ERROR, since="0.1")
