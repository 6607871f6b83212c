"""Fields of one document that contradict each other.

## What it checks

Values that each are valid are also so together: a limit is not below what is expected, a minimum not above its
maximum, a window ends after it starts, fields that exclude each other are not both there, what must survive the loss
of a cluster runs on two.

## Why it matters

Each reader would resolve the contradiction in its own way. A job whose time limit is below its expected duration is
killed shortly before its result on every attempt, after the whole cost has been paid.

## Example

```yaml policies/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: PlacementPolicy
metadata:
  name: spot
spec:
  spot: {neverBelow: 9h, allowedAbove: 8h}  # error
```

## Use instead

```yaml policies/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: PlacementPolicy
metadata:
  name: spot
spec:
  spot: {neverBelow: 2h, allowedAbove: 8h}
```

## References

- `stowplan schema KIND` prints what a kind may hold, with units
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0207", "contradicting-fields", Level.ERROR, since="0.1")
