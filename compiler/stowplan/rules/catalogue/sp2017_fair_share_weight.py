"""Fair-sharing weight that is too small to count.

## What it checks

A weight is 0, or larger than a thousand millionth.

## Why it matters

Kueue refuses the object: shares are divided by weights.

## Example

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: eval
spec:
  cohortName: research
  namespaceSelector: {}
  queueingStrategy: BestEffortFIFO
  stopPolicy: None
  flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: Never, borrowWithinCohort: {policy: Never}}
  fairSharing: {weight: 1n}  # error
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - name: h200
          resources:
            - {name: cpu, nominalQuota: "8"}
            - {name: memory, nominalQuota: 32Gi}
```

## Use instead

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: eval
spec:
  cohortName: research
  namespaceSelector: {}
  queueingStrategy: BestEffortFIFO
  stopPolicy: None
  flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: Never, borrowWithinCohort: {policy: Never}}
  fairSharing: {weight: 100m}
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - name: h200
          resources:
            - {name: cpu, nominalQuota: "8"}
            - {name: memory, nominalQuota: 32Gi}
```

## References

- [Kueue, fair sharing](https://kueue.sigs.k8s.io/docs/concepts/fair_sharing/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2017", "fair-share-weight", Level.ERROR, since="0.1", stage=Stage.KUEUE)
