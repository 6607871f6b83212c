"""Field that its kind does not have.

## What it checks

Every field of a document is one that the input language declares at that place, in the same letter case. A similar
known field is suggested; else all that may stand there are listed.

## Why it matters

A reader that skips what it does not know turns a typing error into a default. `weigth: 2` would give the cohort the
weight 1, and its users would find out weeks later from their share of the machines. Kubernetes itself drops unknown
fields of custom resources unless strict field validation is asked for.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  fairSharing: {weigth: 2}  # error
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

- `stowplan schema KIND` prints what a kind may hold, with units
- [Kubernetes, field validation](https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0201", "unknown-field", Level.ERROR, since="0.1")
