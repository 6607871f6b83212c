"""The data cannot be reached from there.

## What it checks

For all data and models of the intent there is a copy of that digest in the cluster, one that is open to all clusters,
or a copy in a region from which the snapshot has a `transfer` row.

## Why it matters

A job that starts before its data is there holds accelerators while it copies. Where no row says what the way costs,
the way is not assumed to exist.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: patients
spec:
  type: dataset
  version: "1"
  digest: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  size: 2Ti
  locations: [{cluster: hub, uri: s3://hub/patients}]  # reason
---
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
  data: [{artifact: patients}]  # reason
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Artifact
metadata:
  name: patients
spec:
  type: dataset
  version: "1"
  digest: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  size: 2Ti
  locations: [{cluster: east, uri: s3://east/patients}]
---
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
  data: [{artifact: patients}]
```

## References

- [OCI image specification, digests](https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0534", "data", Level.NOTE, since="0.1", stage=Stage.PLAN)
