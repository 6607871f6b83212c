"""Field that may not be set there.

## What it checks

Each rendered object is judged as its own API server judges it, by the version of the target; the finding is at the
input that the field came from, and targets with the same finding share it. Here a field is set that another one
excludes, or that only the server writes.

## Why it matters

After the merge the refusal would come from every cluster by itself, in a log of the engine, and what follows the
object in its wave would wait. A field that is forbidden together with another is most often the rest of an earlier
variant.

## Example

```yaml fleet/components/north/limits.yaml
apiVersion: v1
kind: LimitRange
metadata:
  name: limits
  namespace: speech
spec:
  limits:
    - {type: Pod, max: {cpu: "64"}, default: {cpu: "8"}}  # error
```

## Use instead

```yaml fleet/components/north/limits.yaml
apiVersion: v1
kind: LimitRange
metadata:
  name: limits
  namespace: speech
spec:
  limits:
    - {type: Pod, max: {cpu: "64"}}
```

## References

- [Kubernetes, validation of custom resources](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0809", "manifest-forbidden", Level.ERROR, since="0.1", stage=Stage.KUEUE)
