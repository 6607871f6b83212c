"""LocalQueue that leads to another ClusterQueue than before.

## What it checks

Between two revisions of a tree `spec.clusterQueue` of a LocalQueue stays as it is.

## Why it matters

The field cannot change. The engine fails at every sync until the object is deleted, and with it the queue of
everything that waits.

## Example

```text
kind: LocalQueue            # before: clusterQueue: speech
spec:
  clusterQueue: research
```

## Use instead

```text
kind: LocalQueue
metadata:
  name: research            # a queue of another name
spec:
  clusterQueue: research
```

## References

- [Kueue, LocalQueue](https://kueue.sigs.k8s.io/docs/concepts/local_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2020", "local-queue-moved", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
