"""Guardrail that an API server cannot hold.

## What it checks

`stowplan policy export` writes a guardrail as ValidatingAdmissionPolicy. Its expressions may read `object`, `oldObject`,
`request`, `namespaceObject`, `variables` and `pods`, and use functions that every cluster's version knows; the version
serves the kind from 1.30 on. What does not fit is named with its column, and with the clusters where only some lack it.

## Why it matters

A server knows neither the fleet nor the intent that an object came from, so a part of the policy would be missing there.

## Example

```text
object.spec.replicas <= cluster.labels['replicas']
```

## Use instead

Keep such a guardrail in the compiler, and export those that look at the object alone.

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1231", "not-exportable", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
