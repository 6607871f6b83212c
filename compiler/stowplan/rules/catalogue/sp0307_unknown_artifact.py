"""Reference to an Artifact that no document states.

## What it checks

Images, models, data of intents and cached copies in snapshots name an Artifact of the workspace.

## Why it matters

An artifact has the digest that is rendered, the size that staging is estimated from, and the residency that keeps
data where it belongs. A free name in its place would escape all three.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer  # error
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

- [OCI image specification, digests](https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0307", "unknown-artifact", Level.ERROR, since="0.1")
