"""Model in a registry, on a cluster that cannot mount images.

## What it checks

A model whose copy for the cluster is an image (`oci://`) needs Kubernetes 1.35 or later there: from then on image volumes
are on without a feature gate.

## Why it matters

Without the feature the volume is dropped or refused, and the server starts without its model.

## Example

```text
kind: Artifact
spec:
  type: model
  locations:
    - {cluster: old, uri: oci://registry.example.com/models/chat}
```

## Use instead

Add a copy on a volume for this cluster (`pvc://CLAIM/PATH`), or upgrade the cluster.

## References

- [Kubernetes, image volumes](https://kubernetes.io/docs/tasks/configure-pod-container/image-volumes/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0722", "no-image-volumes", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
