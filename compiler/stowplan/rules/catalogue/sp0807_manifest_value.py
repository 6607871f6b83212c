"""Value that the API server refuses.

## What it checks

Each rendered object is judged as its own API server judges it, by the version of the target; the finding is at the
input that the field came from, and targets with the same finding share it. Here a value breaks a pattern, a bound, a
length, a rule in CEL, or the server's own validation in code.

## Why it matters

After the merge the refusal would come from every cluster by itself, in a log of the engine, and what follows the
object in its wave would wait. Rules in CEL look at several fields at once and are found by no schema checker that
reads only types.

## Example

```yaml fleet/components/north/settings-2.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: Eval  # error
  namespace: speech
data:
  mode: fast
```

## Use instead

```yaml fleet/components/north/settings-2.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: eval
  namespace: speech
data:
  mode: fast
```

## References

- [Kubernetes, validation of custom resources](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation)
- [Kubernetes, Common Expression Language](https://kubernetes.io/docs/reference/using-api/cel/)
- [Kubernetes, quantity](https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0807", "manifest-value", Level.ERROR, since="0.1", stage=Stage.KUEUE)
