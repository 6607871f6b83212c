"""Exemption whose time is over.

## What it checks

`expires` of every entry of an Exemption is later than the time that the compile judges by: the newest snapshot, or
`--as-of`.

## Why it matters

The exemption has no effect any more: what it allowed is reported again.

## Example

```yaml policies/exemptions.yaml
apiVersion: stowplan.io/v1alpha1
kind: Exemption
metadata:
  name: house
spec:
  exemptions:
    - rule: image-by-digest
      reason: the vendor publishes no digests
      expires: "2001-01-01T00:00:00Z"  # error
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

RULE = Rule("SP1221", "expired-exemption", Level.WARN, since="0.1", configurable=True)
