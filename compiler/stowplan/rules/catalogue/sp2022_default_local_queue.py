"""LocalQueue called `default`.

## What it checks

No LocalQueue is called `default` by accident.

## Why it matters

Kueue puts every job of the namespace that names no queue into it, suspends it, and lets nobody take the label off
again.

## Example

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: default  # error
  namespace: speech
spec:
  clusterQueue: speech
  stopPolicy: None
```

## Use instead

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: eval
  namespace: speech
spec:
  clusterQueue: speech
  stopPolicy: None
```

## References

- [Kueue, LocalQueue](https://kueue.sigs.k8s.io/docs/concepts/local_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2022", "default-local-queue", Level.WARN, since="0.1", stage=Stage.KUEUE)
