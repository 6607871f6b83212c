"""Work that nobody dispatches, or a dispatcher that is not there.

## What it checks

Every intent has one dispatch owner, its own or the one of the planes table; a hub exists for it; and it can dispatch
this class of work. MultiKueue needs `hubs.kueue`, Karmada needs `hubs.karmada`; `none` owns nothing.

## Why it matters

With no owner the job lies in Git and runs nowhere. With two it would run twice. The planes table is the one place
that answers who does it.

## Example

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
  dispatch: karmada  # error
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
  dispatch: multikueue
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
- [Karmada, resource propagating](https://karmada.io/docs/userguide/scheduling/resource-propagating/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0320", "no-dispatch-owner", Level.ERROR, since="0.1")
