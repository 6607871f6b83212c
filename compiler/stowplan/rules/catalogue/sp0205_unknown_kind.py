"""Document of a kind that the input language does not have.

## What it checks

`kind` is one of the kinds of `stowplan.io/v1alpha1`, in the same letter case.

## Why it matters

A document that nobody reads is an intent that nobody places, or a policy that nobody enforces. It must not pass as if
it were not there.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohorts  # error
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

- `stowplan schema` lists all kinds
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0205", "unknown-kind", Level.ERROR, since="0.1")
