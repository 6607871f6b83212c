"""Kueue object in a version that its cluster is not spoken to in.

## What it checks

Every Kueue object of a cluster is written in one API version: `v1beta2` where the snapshot saw it served, else
`v1beta1`. The same object does not stand in two versions, and none goes to a cluster without Kueue.

## Why it matters

Most kinds convert without a webhook: fields that only one version has vanish silently. Engines that list objects by
the version in Git show them as changed for ever.

## Example

```yaml fleet/components/north/urgent.yaml
apiVersion: kueue.x-k8s.io/v1beta1  # error
kind: WorkloadPriorityClass
metadata:
  name: urgent
value: 10000
```

## Use instead

```yaml fleet/components/north/urgent.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata:
  name: urgent
value: 10000
```

## References

- [Kueue, API reference](https://kueue.sigs.k8s.io/docs/reference/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2001", "kueue-version-mixed", Level.ERROR, since="0.1", stage=Stage.KUEUE)
