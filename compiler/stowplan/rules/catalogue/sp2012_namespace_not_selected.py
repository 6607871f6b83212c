"""ClusterQueue that does not take the namespaces of its local queues.

## What it checks

The `namespaceSelector` of a ClusterQueue is there (absent means no namespace, `{}` means all) and takes the labels of
every namespace whose LocalQueue leads to the queue, on the manager and on each worker.

## Why it matters

The LocalQueue accepts jobs, and none of them is ever admitted.

## Example

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: eval
spec:
  cohortName: research
  namespaceSelector: {matchLabels: {stowplan.io/tenant: vision}}  # error
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
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: eval
  namespace: speech
spec:
  clusterQueue: eval
  stopPolicy: None
```

## Use instead

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: eval
spec:
  cohortName: research
  namespaceSelector: {matchLabels: {stowplan.io/tenant: speech}}
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
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: eval
  namespace: speech
spec:
  clusterQueue: eval
  stopPolicy: None
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2012", "namespace-not-selected", Level.ERROR, since="0.1", stage=Stage.KUEUE)
