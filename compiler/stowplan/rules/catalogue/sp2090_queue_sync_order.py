"""Queued job or queue that the engines sync in a harmful way.

## What it checks

Jobs come in a later wave than their queues; none is a hook, and none deletes itself when it has ended; queues,
flavors, and cohorts carry both engines' guards against pruning.

## Why it matters

A hook that waits in a queue blocks its sync. A job that deletes itself is made and run again by an engine that heals.
A pruned queue takes admitted work along.

## Example

```yaml fleet/jobs.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: jobs
spec:
  selector: {clusters: [north]}
  manifests: fleet/components/jobs
  wave: 4
  values:
    name: eval
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: speech}
    ttl: 600  # error
```

## Use instead

```yaml fleet/jobs.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: jobs
spec:
  selector: {clusters: [north]}
  manifests: fleet/components/jobs
  wave: 4
  values:
    name: eval
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: speech}
```

## References

- [Argo CD, sync waves](https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2090", "queue-sync-order", Level.ERROR, since="0.1", stage=Stage.KUEUE)
