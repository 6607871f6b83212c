"""Topology request that Kueue's webhook refuses.

## What it checks

Of required, preferred, and unconstrained one is stated; slices have a level and a size that divides the pods; layers
name one to three levels; a group is two pod sets of one level, one of them a single pod. A flavor with a topology has
node labels.

## Why it matters

The webhook refuses the job.

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
    podAnnotations:  # error
      kueue.x-k8s.io/podset-required-topology: fabric.example.com/block
      kueue.x-k8s.io/podset-preferred-topology: fabric.example.com/block
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
    podAnnotations:
      kueue.x-k8s.io/podset-required-topology: fabric.example.com/block
```

## References

- [Kueue, Topology Aware Scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2060", "topology-annotation", Level.ERROR, since="0.1", stage=Stage.KUEUE)
