"""Entry that its list has already.

## What it checks

Each rendered object is judged as its own API server judges it, by the version of the target; the finding is at the
input that the field came from, and targets with the same finding share it. Here a list that is a set, or a map by
some keys, has one of them twice.

## Why it matters

After the merge the refusal would come from every cluster by itself, in a log of the engine, and what follows the
object in its wave would wait. Server-side apply merges such lists by their keys; with a key twice it cannot tell the
entries apart.

## Example

```yaml fleet/components/north/limits.yaml
apiVersion: v1
kind: LimitRange
metadata:
  name: limits
  namespace: speech
spec:
  limits:
    - {type: Container, max: {cpu: "64"}, default: {cpu: "64"}, defaultRequest: {cpu: "64"}}
    - {type: Container, min: {cpu: 100m}}  # error
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
    - {type: Container, max: {cpu: "64"}, default: {cpu: "64"}, defaultRequest: {cpu: "64"}, min: {cpu: 100m}}
```

## References

- [Kubernetes, merge strategy](https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0808", "manifest-duplicate", Level.ERROR, since="0.1", stage=Stage.KUEUE)
