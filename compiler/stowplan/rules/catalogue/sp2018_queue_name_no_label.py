"""ClusterQueue whose name cannot be a label's value.

## What it checks

The name of a ClusterQueue is a DNS label: at most 63 characters, no dots.

## Why it matters

Kueue writes the name on every pod as a label, and leaves it out where it cannot: whoever selects pods by queue misses
them.

## Example

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: eval.speech  # error
spec:
  cohortName: research
  namespaceSelector: {}
  queueingStrategy: BestEffortFIFO
  stopPolicy: None
  flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: Never, borrowWithinCohort: {policy: Never}}
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
  name: eval-speech
spec:
  cohortName: research
  namespaceSelector: {}
  queueingStrategy: BestEffortFIFO
  stopPolicy: None
  flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: Never, borrowWithinCohort: {policy: Never}}
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - name: h200
          resources:
            - {name: cpu, nominalQuota: "8"}
            - {name: memory, nominalQuota: 32Gi}
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2018", "queue-name-no-label", Level.WARN, since="0.1", stage=Stage.KUEUE)
