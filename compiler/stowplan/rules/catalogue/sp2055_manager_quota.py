"""Manager's quota above what its workers can give.

## What it checks

Summed over all of the manager's queues, accelerators are no more than the quota of the workers' queues behind them,
each of those counted once.

## Why it matters

Jobs beyond it hold the manager's quota while no worker can run them; there is no built-in end to that.

## Example

```yaml fleet/components/hub/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: eval
spec:
  namespaceSelector: {}
  queueingStrategy: BestEffortFIFO
  stopPolicy: None
  flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: Never, borrowWithinCohort: {policy: Never}}
  admissionChecksStrategy:
    admissionChecks:
      - {name: speech-north}
  resourceGroups:  # error
    - coveredResources: [nvidia.com/gpu]
      flavors:
        - name: h200
          resources:
            - {name: nvidia.com/gpu, nominalQuota: "96"}
```

## Use instead

```yaml fleet/components/hub/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: eval
spec:
  namespaceSelector: {}
  queueingStrategy: BestEffortFIFO
  stopPolicy: None
  flavorFungibility: {whenCanBorrow: MayStopSearch, whenCanPreempt: TryNextFlavor}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: Never, borrowWithinCohort: {policy: Never}}
  admissionChecksStrategy:
    admissionChecks:
      - {name: speech-north}
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors:
        - name: h200
          resources:
            - {name: nvidia.com/gpu, nominalQuota: "0"}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2055", "manager-quota", Level.WARN, since="0.1", stage=Stage.KUEUE)
