"""Field that the kind does not have in the cluster's version.

## What it checks

Each rendered object is judged as its own API server judges it, by the version of the target; the finding is at the
input that the field came from, and targets with the same finding share it. Here a field is not in the schema; a
similar one is suggested.

## Why it matters

After the merge the refusal would come from every cluster by itself, in a log of the engine, and what follows the
object in its wave would wait. Without strict field validation the server drops the field in silence: the manifest
says one thing, the cluster does another, and the engine shows a difference for ever.

## Example

```yaml fleet/components/north/settings-2.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: eval
  namespace: speech
datta:  # error
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

- [Kubernetes, field validation](https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0803", "unknown-manifest-field", Level.ERROR, since="0.1", stage=Stage.KUEUE)
