"""Field of a type that the schema does not have there.

## What it checks

Each rendered object is judged as its own API server judges it, by the version of the target; the finding is at the
input that the field came from, and targets with the same finding share it. Here a value has another type than the
schema says: text, whole number, boolean, list or mapping.

## Why it matters

After the merge the refusal would come from every cluster by itself, in a log of the engine, and what follows the
object in its wave would wait. Nothing converts it.

## Example

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: eval
  namespace: speech
spec:
  clusterQueue: 7  # error
  stopPolicy: None
```

## Use instead

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: eval
  namespace: speech
spec:
  clusterQueue: speech
  stopPolicy: None
```

## References

- [Kubernetes, validation of custom resources](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0805", "manifest-type", Level.ERROR, since="0.1", stage=Stage.KUEUE)
