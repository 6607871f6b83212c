"""Quota that Kueue overwrites.

## What it checks

No MultiKueueConfig has `quotaManagement: Automated`.

## Why it matters

Kueue then writes the quota of the manager's queues itself, without limits and without clusters that are not
connected. Git writes it back at every sync.

## Example

```yaml fleet/components/hub/config.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueConfig
metadata:
  name: own
spec:
  clusters: [north]
  quotaManagement: Automated  # error
```

## Use instead

```yaml fleet/components/hub/config.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueConfig
metadata:
  name: own
spec:
  clusters: [north]
  quotaManagement: Manual
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2056", "automated-quota", Level.ERROR, since="0.1", stage=Stage.KUEUE)
