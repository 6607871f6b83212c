"""Pod set and flavors that disagree on topologies.

## What it checks

A pod set that asks for a place has a flavor with a topology in its queue, in one resource group only; nodes belong to
one flavor with a topology only.

## Why it matters

A flavor without a topology refuses the pod set. Nodes in two such flavors are counted twice.

## Example

```yaml fleet/jobs.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: jobs
spec:
  selector: {clusters: [south]}
  manifests: fleet/components/jobs
  wave: 4
  values:
    name: eval
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: speech}
    podAnnotations: {kueue.x-k8s.io/podset-unconstrained-topology: "true"}  # error
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
    podAnnotations: {kueue.x-k8s.io/podset-unconstrained-topology: "true"}
```

## References

- [Kueue, Topology Aware Scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2063", "topology-mixed", Level.ERROR, since="0.1", stage=Stage.KUEUE)
