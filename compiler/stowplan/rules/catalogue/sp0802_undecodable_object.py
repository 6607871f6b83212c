"""Object that the API server cannot decode.

## What it checks

Each rendered object is judged as its own API server judges it, by the version of the target; the finding is at the
input that the field came from, and targets with the same finding share it. Here the text itself cannot be read into
the kind's types.

## Why it matters

After the merge the refusal would come from every cluster by itself, in a log of the engine, and what follows the
object in its wave would wait. A number where the server's type has a string fails before any validation, so that
nothing else of the object is looked at.

## Example

```yaml fleet/components/north/settings-2.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: eval
  namespace: speech
data:
  modes: [fast, slow]  # error
```

## Use instead

```yaml fleet/components/north/settings-2.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: eval
  namespace: speech
data:
  modes: fast slow
```

## References

- [Kubernetes, field validation](https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0802", "undecodable-object", Level.ERROR, since="0.1", stage=Stage.KUEUE)
