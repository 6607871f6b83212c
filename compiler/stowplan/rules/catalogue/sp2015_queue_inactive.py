"""ClusterQueue that Kueue would not activate.

## What it checks

Every flavor, topology, check, and configuration that a ClusterQueue refers to is rendered for the same API server.
The message has Kueue's own reason: FlavorNotFound, TopologyNotFound, AdmissionCheckNotFound, AdmissionCheckInactive.

## Why it matters

An inactive queue admits nothing, and says so only in its status.

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
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - name: h2000  # error
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

RULE = Rule("SP2015", "queue-inactive", Level.ERROR, since="0.1", stage=Stage.KUEUE)
