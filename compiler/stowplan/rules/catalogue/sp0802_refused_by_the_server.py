"""Object that the API server would refuse.

## What it checks

Each object is judged as its API server does: structure, types, required fields, validation in code for built-in
kinds, schemas and CEL rules for custom ones, by the version of the target. The finding is at the input that the field
came from. Targets with the same finding share it.

## Why it matters

After the merge the refusal would come from every cluster by itself, to a log of the engine, and everything after the
object in its wave would wait.

## Example

```yaml
kind: ResourceQuota
spec:
  hard:
    requests.nvidia.com/gpu: 1500m    # extended resources are whole numbers
```

## Use instead

```yaml
kind: ResourceQuota
spec:
  hard:
    requests.nvidia.com/gpu: "2"
```

## References

- [Kubernetes, validation of custom resources](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation)
- [Kubernetes, Common Expression Language](https://kubernetes.io/docs/reference/using-api/cel/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0802", "refused-by-the-server", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
