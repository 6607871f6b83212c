"""Definition that was given twice with different contents.

## What it checks

A kind is defined once among all files of an import. The one that is not taken is reported.

## Why it matters

Two versions of a controller's definitions in one folder mean that one of them is left over, and nobody can tell which
one the cluster has.

## Example

```text
crds/kueue-0.16.yaml    clusterqueues.kueue.x-k8s.io
crds/kueue-0.17.yaml    clusterqueues.kueue.x-k8s.io
```

## Use instead

Remove the file of the version that is not installed, or give each cluster a pack of its own (`crds` of its snapshot).

## References

- [Kubernetes, custom resource definitions](https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0812", "definition-twice", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
