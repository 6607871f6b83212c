"""Schema pack of a cluster that is not there or cannot be used.

## What it checks

Paths in `crds` of a snapshot lead to a schema pack or to definition files in the workspace.

## Why it matters

Without the pack the kinds that only this cluster has would be judged by the shipped definitions, of another version.

## Example

```yaml
crds: [fleet/crds/kueue.pack]
```

## Use instead

Import the definitions of the cluster with `stowplan schemas import`, and commit what it writes.

## References

- [Kubernetes, custom resource definitions](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0816", "unusable-schema-pack", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
