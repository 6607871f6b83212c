"""Two documents of one kind and name.

## What it checks

A kind has each name once in the whole workspace; the four kinds of intents share their names. The later document is
reported, the first one shown.

## Why it matters

The documents may lie in different files of different teams, and both would be rendered to objects of the same names.
Whichever came last would win, and which one that is could depend on the order of files.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  fairSharing: {weight: 2}
---
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs  # error
spec:
  fairSharing: {weight: 3}
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  fairSharing: {weight: 2}
---
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs-west
spec:
  fairSharing: {weight: 3}
```

## References

- [Kubernetes, object names and IDs](https://kubernetes.io/docs/concepts/overview/working-with-objects/names/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0303", "duplicate-name", Level.ERROR, since="0.1")
