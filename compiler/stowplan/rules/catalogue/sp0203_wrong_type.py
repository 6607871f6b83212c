"""Value of the wrong type.

## What it checks

A value has the type of its field: text, a whole number, a number, a boolean, a list or a mapping. Nothing is
converted: `"2"` is no number, and `1.35` is no text.

## Why it matters

Conversion hides what was meant. The version `1.30` written without quotes is the number 1.3, which is another
version; a count in quotes is most often a template that went wrong.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  fairSharing: {weight: "2"}  # error
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
- [YAML 1.2.2, 10.3 Core schema](https://yaml.org/spec/1.2.2/#103-core-schema)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0203", "wrong-type", Level.ERROR, since="0.1")
