"""Field that the kind requires and that is not there.

## What it checks

Each rendered object is judged as its own API server judges it, by the version of the target; the finding is at the
input that the field came from, and targets with the same finding share it. Here a required field is missing, or empty
where it must not be.

## Why it matters

After the merge the refusal would come from every cluster by itself, in a log of the engine, and what follows the
object in its wave would wait. Fields become required with new versions: an upgrade of one cluster can refuse what the
others take.

## Example

```yaml fleet/components/north/readers.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: readers
  namespace: speech
rules:
  - apiGroups: [batch]  # error
    resources: [jobs]
```

## Use instead

```yaml fleet/components/north/readers.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: readers
  namespace: speech
rules:
  - apiGroups: [batch]
    resources: [jobs]
    verbs: [get, list]
```

## References

- [Kubernetes, validation of custom resources](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0804", "required-manifest-field", Level.ERROR, since="0.1", stage=Stage.KUEUE)
