"""Topology level that no flavor of the queue has.

## What it checks

The levels that a pod set asks for, for all its pods and for slices of them, are levels of one topology behind its
queue, the wider before the narrower, on the manager and on every worker of its set.

## Why it matters

Kueue skips every flavor, and the job waits for ever.

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
    podAnnotations: {kueue.x-k8s.io/podset-required-topology: fabric.example.com/rack}  # error
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
    podAnnotations: {kueue.x-k8s.io/podset-required-topology: fabric.example.com/block}
```

## References

- [Kueue, Topology Aware Scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2061", "topology-level-unknown", Level.ERROR, since="0.1", stage=Stage.KUEUE)
