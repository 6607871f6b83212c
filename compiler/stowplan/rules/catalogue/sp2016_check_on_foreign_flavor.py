"""Admission check on a flavor that its queue does not have.

## What it checks

`onFlavors` of a check in a ClusterQueue names flavors of the queue's resource groups.

## Why it matters

Kueue refuses the object.

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
  admissionChecksStrategy:
    admissionChecks:
      - {name: budget, onFlavors: [spot]}  # error
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - name: h200
          resources:
            - {name: cpu, nominalQuota: "8"}
            - {name: memory, nominalQuota: 32Gi}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata:
  name: budget
spec:
  controllerName: example.com/budget
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
  admissionChecksStrategy:
    admissionChecks:
      - {name: budget, onFlavors: [h200]}
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - name: h200
          resources:
            - {name: cpu, nominalQuota: "8"}
            - {name: memory, nominalQuota: 32Gi}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata:
  name: budget
spec:
  controllerName: example.com/budget
```

## References

- [Kueue, admission checks](https://kueue.sigs.k8s.io/docs/concepts/admission_check/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2016", "check-on-foreign-flavor", Level.ERROR, since="0.1", stage=Stage.KUEUE)
