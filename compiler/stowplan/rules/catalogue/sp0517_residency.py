"""Data of the intent may not leave its jurisdictions.

## What it checks

For all data and models of the intent: where the Artifact has a `residency`, the Cluster's `jurisdiction` is in it.

## Why it matters

Residency belongs to the data and holds for every intent that will ever read it, also for those written by people who
do not know of it.

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
  residency: [EU]  # reason
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
  residency: [EU, US]
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

- [Regulation (EU) 2016/679, chapter V](https://eur-lex.europa.eu/eli/reg/2016/679/oj)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0517", "residency", Level.NOTE, since="0.1", stage=Stage.PLAN)
