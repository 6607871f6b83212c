"""Policy expression that cannot be compiled.

## What it checks

CEL expressions of placement policies and guardrails are parsed and checked against the types of what they read before
anything is placed. Syntax, types of operands, and the type of the result count.

## Why it matters

A policy that cannot be evaluated protects nothing, so the compiler does not go on without it.

## Example

```yaml policies/house.yaml
apiVersion: stowplan.io/v1alpha1
kind: GuardrailPolicy
metadata:
  name: house-rule
spec:
  match: {kinds: [Namespace]}
  validations:
    - expression: object.metadata.name.size() > 'a'  # error
      message: names are long
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
    - expression: object.metadata.name.size() > 1
      message: names are long
```

## References

- [Kubernetes, CEL](https://kubernetes.io/docs/reference/using-api/cel/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP1201", "invalid-expression", Level.ERROR, since="0.1")
