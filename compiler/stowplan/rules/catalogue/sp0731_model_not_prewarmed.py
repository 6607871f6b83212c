"""Model that pre-warming cannot bring to the nodes.

## What it checks

With `prewarm: true` the model's copy is an image, or lies on a volume of the cluster.

## Why it matters

Only images are brought to the nodes ahead of time. A model that each replica loads over the network makes every start as
slow as the first.

## Example

```text
kind: InferenceIntent
spec:
  model: chat            # its only copy: hf://example/chat
  prewarm: true
```

## Use instead

Put the model into the cluster's registry (`oci://`) or on a volume (`pvc://CLAIM/PATH`).

## References

- [Kubernetes, image volumes](https://kubernetes.io/docs/tasks/configure-pod-container/image-volumes/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0731", "model-not-prewarmed", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
