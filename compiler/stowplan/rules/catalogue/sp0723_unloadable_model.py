"""Model at a place that the engine cannot load from.

## What it checks

The copy that a cluster would use is an image (`oci://`), lies on a volume (`pvc://CLAIM/PATH`), or is something the
engine loads itself: a name of the hub (`hf://`), or a bucket (`s3://`, `gs://`) where the engine streams from one.

## Why it matters

The server would restart until somebody looks.

## Example

```text
kind: InferenceIntent
spec:
  model: chat            # its only copy: https://example.com/chat.tar
  engine: {type: tgi, image: tgi-image}
```

## Use instead

Put the model into a registry or on a volume, and state that copy in the Artifact's `locations`.

## References

- [Kubernetes, image volumes](https://kubernetes.io/docs/tasks/configure-pod-container/image-volumes/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0723", "unloadable-model", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
