"""Rendered object that breaks one of the workspace's own guardrails.

## What it checks

Every GuardrailPolicy is evaluated on every rendered object that it matches. An expression that cannot be evaluated counts
as broken. The level is the policy's `level`; the finding stands at the input that the field came from.

## Why it matters

The workspace says so: the policy's message gives the reason.

## Example

```yaml policies/house.yaml
apiVersion: stowplan.io/v1alpha1
kind: GuardrailPolicy
metadata:
  name: house-rule
spec:
  match: {kinds: [Namespace]}
  validations:
    - expression: object.metadata.name.startsWith('corp-')
      message: namespaces start with `corp-`
```

A tenant with `namespaces: [team]` is reported at `team`.

## Use instead

`namespaces: [corp-team]`.

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1211", "guardrail-not-met", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
