"""The image cannot be pulled from there.

## What it checks

The image of the intent has a location in the cluster, one that is open to all, or one in a region with a `transfer`
row.

## Why it matters

A registry of another site may be behind a border that pods cannot cross; ErrImagePull then looks like a typing error.
Images of GPU work have tens of gigabytes, so that their way also costs time.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: eval-image
spec:
  type: image
  version: "1"
  digest: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  size: 9Gi
  locations: [{cluster: hub, uri: oci://registry.example.com/eval}]  # reason
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: eval-image  # reason
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: eval-image
spec:
  type: image
  version: "1"
  digest: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  size: 9Gi
  locations: [{uri: oci://registry.example.com/eval}]
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: eval-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## References

- [Kubernetes, images](https://kubernetes.io/docs/concepts/containers/images/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0535", "image", Level.NOTE, since="0.1", stage=Stage.PLAN)
