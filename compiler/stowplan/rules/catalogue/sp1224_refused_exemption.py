"""Exemption from something that takes none.

## What it checks

Entries of an Exemption name neither a guardrail with `mandatory: true` nor a rule whose level is fixed at error.

## Why it matters

Whoever made the guardrail mandatory decided that there is no exception; a fixed rule is one that the compiler cannot go on
without.

## Example

```yaml policies/exemptions.yaml
apiVersion: stowplan.io/v1alpha1
kind: Exemption
metadata:
  name: house
spec:
  exemptions:
    - rule: no-secret-data  # error
      reason: it is only a test
      expires: "2999-01-01T00:00:00Z"
```

## Use instead

```yaml policies/exemptions.yaml
apiVersion: stowplan.io/v1alpha1
kind: Exemption
metadata:
  name: house
spec:
  exemptions:
    - rule: no-node-ports
      reason: it is only a test
      expires: "2999-01-01T00:00:00Z"
```

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP1224", "refused-exemption", Level.ERROR, since="0.1")
