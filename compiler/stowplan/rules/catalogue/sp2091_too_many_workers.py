"""Candidate set with more clusters than Kueue takes.

## What it checks

A MultiKueueConfig names at most 20 clusters (10 before Kueue 0.16), each once.

## Why it matters

The API server refuses the object.

## Example

```yaml fleet/components/hub/config.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueConfig
metadata:
  name: own
spec:
  clusters: [north, north]  # error
```

## Use instead

```yaml fleet/components/hub/config.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueConfig
metadata:
  name: own
spec:
  clusters: [north]
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2091", "too-many-workers", Level.ERROR, since="0.1", stage=Stage.KUEUE)
