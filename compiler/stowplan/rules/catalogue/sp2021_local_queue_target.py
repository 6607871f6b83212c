"""LocalQueue that leads nowhere, or to two places.

## What it checks

A LocalQueue leads to a ClusterQueue that is rendered for the same API server and lies in a namespace that there is.
On the manager one LocalQueue leads to one candidate set: two routes of one queue name to different clusters cannot
both be dispatched.

## Why it matters

Jobs in it wait for ever: Kueue reports the cause in the queue's status only.

## Example

```yaml fleet/eval.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-en
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: north, localQueue: nightly}  # error
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-de
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: south, localQueue: nightly}
```

## Use instead

```yaml fleet/eval.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-en
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: north, localQueue: nightly}
---
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-de
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: south, localQueue: nightly-south}
```

## References

- [Kueue, LocalQueue](https://kueue.sigs.k8s.io/docs/concepts/local_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2021", "local-queue-target", Level.ERROR, since="0.1", stage=Stage.KUEUE)
