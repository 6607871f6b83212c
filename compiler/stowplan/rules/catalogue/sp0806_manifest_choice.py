"""Value that is not among those the field offers.

## What it checks

Each rendered object is judged as its own API server judges it, by the version of the target; the finding is at the
input that the field came from, and targets with the same finding share it. Here a value is not in the field's list of
words; the list is told.

## Why it matters

After the merge the refusal would come from every cluster by itself, in a log of the engine, and what follows the
object in its wave would wait. Words differ by API and by case: `BestEffortFIFO` to one, `bestEffort` to another.

## Example

```yaml fleet/components/north/closed.yaml
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: closed
  namespace: speech
spec:
  podSelector: {}
  policyTypes: [Inbound]  # error
```

## Use instead

```yaml fleet/components/north/closed.yaml
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: closed
  namespace: speech
spec:
  podSelector: {}
  policyTypes: [Ingress]
```

## References

- [Kubernetes, validation of custom resources](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation)
- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0806", "manifest-choice", Level.ERROR, since="0.1", stage=Stage.KUEUE)
