"""Cohort with quota of its own that no nodes stand behind.

## What it checks

Where a Cohort has quota, it and the queues of its cluster promise no more accelerators of a flavor than the cluster's
nodes have.

## Why it matters

A Cohort's quota is no sum of its members': it comes on top of theirs. What is written there as a total is counted
twice, and Kueue admits jobs that the nodes cannot hold.

## Example

```yaml fleet/components/north/cohort.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata:
  name: all
spec:
  resourceGroups:  # error
    - coveredResources: [nvidia.com/gpu]
      flavors:
        - name: h200
          resources:
            - {name: nvidia.com/gpu, nominalQuota: "64"}
```

## Use instead

```yaml fleet/components/north/cohort.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata:
  name: all
spec: {}
```

## References

- [Kueue, Cohort](https://kueue.sigs.k8s.io/docs/concepts/cohort/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2032", "cohort-quota-on-top", Level.WARN, since="0.1", stage=Stage.KUEUE)
