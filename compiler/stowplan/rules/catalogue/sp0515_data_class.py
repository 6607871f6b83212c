"""The class of the data is not allowed there.

## What it checks

For all data and models of the intent: the tenant may read their class (`dataClasses` of the Tenant), and it may enter
the cluster (`dataClasses` of the Cluster, all where absent).

## Why it matters

Once a copy lies on a site that must not have it, no later change of the plan takes it back. The check comes before
any byte is staged.

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
  dataClass: medical
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
  dataClass: public
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

- [ISO/IEC 27001](https://www.iso.org/standard/27001)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0515", "data-class", Level.NOTE, since="0.1", stage=Stage.PLAN)
