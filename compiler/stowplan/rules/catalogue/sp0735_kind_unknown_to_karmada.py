"""Object for Karmada of a kind that its API server does not serve.

## What it checks

Every kind that Karmada is to carry is built into Kubernetes, or its API stands among `hubs.karmada.apis`.

## Why it matters

A template must be an object on Karmada's API server first, and that refuses kinds it has no definition of.

## Example

```text
kind: Component
spec:
  delivery: karmada
  manifests: fleet/components/certificates    # holds a cert-manager.io/v1 Issuer
```

## Use instead

Install the definition on Karmada's API server and name the API in the fleet, or deliver the object by GitOps.

## References

- [Karmada, resource propagating](https://karmada.io/docs/userguide/scheduling/resource-propagating/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0735", "kind-unknown-to-karmada", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
