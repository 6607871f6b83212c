"""LocalQueue that leads to another ClusterQueue than before.

## What it checks

`spec.clusterQueue` of a LocalQueue stays as it is in `rendered/`, as the last compile wrote it. A route's `localQueue`
becomes such an object, and so leads to the same cluster for ever.

## Why it matters

The field cannot change. The engine fails at every sync until the object is deleted, and with it the queue of
everything that waits. If you delete the object yourself before
the sync, allow the change for one compile (docs/guide.md).

## Example

```yaml fleet/eval-all.yaml before
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-all
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: north, localQueue: nightly}
```

```yaml fleet/eval-all.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-all
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [python, eval.py]
  shards: {count: 4, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  route: {cluster: south, localQueue: nightly}  # error
```

## Use instead

```yaml fleet/eval-all.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: eval-all
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

RULE = Rule("SP2020", "local-queue-moved", Level.ERROR, since="0.1", stage=Stage.REVISION, configurable=True)
