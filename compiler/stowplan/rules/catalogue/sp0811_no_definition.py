"""File in which no definition was found.

## What it checks

Every file or folder that is given for import holds a CustomResourceDefinition.

## Why it matters

An import that finds nothing looks like one that went well. The kinds that were meant stay unknown.

## Example

```sh
stowplan schemas import charts/values.yaml
```

## Use instead

Name the file with the definitions; charts often keep them in a folder `crds/`.

## References

- [Kubernetes, custom resource definitions](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0811", "no-definition", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
