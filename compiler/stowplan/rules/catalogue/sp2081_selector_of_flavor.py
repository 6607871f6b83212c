"""Node selector that the flavor sets.

## What it checks

Pods of queued jobs select no node by a label that some flavor of their queue defines.

## Why it matters

Kueue injects the flavor's labels as node selector. A rendered one is a second writer of an atomic map, and a value
that differs stops the job.

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
    nodeSelector: {example.com/flavor: h200}  # error
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

- [Kueue, ResourceFlavor](https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2081", "selector-of-flavor", Level.ERROR, since="0.1", stage=Stage.KUEUE)
