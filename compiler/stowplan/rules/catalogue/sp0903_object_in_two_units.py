"""Object that two units of one cluster render.

## What it checks

Group, kind, namespace, and name of a rendered object occur once in each cluster.

## Why it matters

Two units are two owners: each sync takes the object over from the other one, and removing it from one unit prunes it
although the other still wants it.

## Example

```yaml fleet/components/north/queue.yaml
apiVersion: kueue.x-k8s.io/v1beta2  # error
kind: LocalQueue
metadata:
  name: speech
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

- [Argo CD, sync options: fail on shared resources](https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0903", "object-in-two-units", Level.ERROR, since="0.1", stage=Stage.KUEUE)
