"""Exemption from a rule or guardrail that does not exist.

## What it checks

`rule` of every entry of an Exemption is the code or name of a rule, or the name of a guardrail.

## Why it matters

A mistyped exemption exempts nothing, or hides that the rule is gone.

## Example

```yaml policies/exemptions.yaml
apiVersion: stowplan.io/v1alpha1
kind: Exemption
metadata:
  name: house
spec:
  exemptions:
    - rule: image-by-diggest  # error
      reason: the vendor publishes no digests
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
    - rule: image-by-digest
      reason: the vendor publishes no digests
      expires: "2999-01-01T00:00:00Z"
```

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP1223", "exemption-from-unknown-rule", Level.ERROR, since="0.1")
