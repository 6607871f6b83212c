"""Exemption that nothing needs.

## What it checks

Every entry of an Exemption that has not expired covers at least one object or finding that breaks its rule.

## Why it matters

It would allow the mistake when somebody makes it again.

## Example

```yaml policies/exemptions.yaml
apiVersion: stowplan.io/v1alpha1
kind: Exemption
metadata:
  name: house
spec:
  exemptions:
    - rule: no-node-ports  # error
      subject: Service/none
      reason: left from an old service
      expires: "2999-01-01T00:00:00Z"
```

## Use instead

Remove the entry.

```yaml policies/exemptions.yaml
# nothing is exempt
```

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP1222", "unused-exemption", Level.WARN, since="0.1", configurable=True)
