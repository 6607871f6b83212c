"""ClusterQueue that does not take the namespaces of its local queues.

## What it checks

The `namespaceSelector` of a ClusterQueue is there (absent means no namespace, `{}` means all) and takes the labels of
every namespace whose LocalQueue leads to the queue, on the manager and on each worker.

## Why it matters

The LocalQueue accepts jobs, and none of them is ever admitted.

## Example

```text
spec:
  namespaceSelector:
    matchLabels: {team: vision}   # the namespace has team: speech
```

## Use instead

```text
spec:
  namespaceSelector:
    matchLabels: {team: speech}
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2012", "namespace-not-selected", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
