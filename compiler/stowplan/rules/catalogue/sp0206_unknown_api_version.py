"""Document of another API version in a folder of inputs.

## What it checks

Every document below `fleet/` and `policies/` has the `apiVersion` of the input language, except in the folders that a
Component names as its `manifests`.

## Why it matters

Manifests and inputs look alike. A ConfigMap among the inputs would be neither delivered nor refused; an input of a
later version of the language would be read by the rules of this one.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1  # error
kind: Cohort
metadata:
  name: labs
spec:
  fairSharing: {weight: 2}
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  fairSharing: {weight: 2}
```

## References

- [Kubernetes, API versioning](https://kubernetes.io/docs/reference/using-api/#api-versioning)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0206", "unknown-api-version", Level.ERROR, since="0.1")
