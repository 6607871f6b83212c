"""Artifact of the wrong type for its use.

## What it checks

`image` names an Artifact of type image, `model` one of type model.

## Why it matters

A dataset in place of an image is a job whose pods never start (ErrImagePull) while they hold their quota and their
nodes.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: corpus  # error
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
```

## References

- [Kubernetes, images](https://kubernetes.io/docs/concepts/containers/images/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0319", "wrong-artifact-type", Level.ERROR, since="0.1")
