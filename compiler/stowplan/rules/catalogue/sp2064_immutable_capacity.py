"""Topology, flavor, queue, or check changed in a field that cannot change.

## What it checks

The levels of a Topology, the topology (and, before Kueue 0.20, labels and tolerations) of a ResourceFlavor with one,
the `concurrentAdmissionPolicy` of a ClusterQueue, and the controller of an AdmissionCheck stay as they are in
`rendered/`, as the last compile wrote it. From Kueue 0.20 on levels may change where the node is the last one before and
after.

## Why it matters

The API server refuses the change, at every sync. If you delete the object yourself before the sync, allow the change
for one compile (docs/guide.md).

## Example

```yaml fleet/flavors/h200.yaml before
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: h200
spec:
  accelerator: {vendor: nvidia, model: H200, resource: nvidia.com/gpu}
  capacityType: reserved
  nodeLabels: {example.com/flavor: h200}
  tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  topology: fabric
```

```yaml fleet/flavors/h200.yaml
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: h200
spec:
  accelerator: {vendor: nvidia, model: H200, resource: nvidia.com/gpu}
  capacityType: reserved
  nodeLabels: {example.com/flavor: h200-b}  # error
  tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  topology: fabric
```

## Use instead

```yaml fleet/flavors/h200-b.yaml
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: h200-b
spec:
  accelerator: {vendor: nvidia, model: H200, resource: nvidia.com/gpu}
  capacityType: reserved
  nodeLabels: {example.com/flavor: h200-b}
  tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  topology: fabric
```

## References

- [Kueue, Topology Aware Scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2064", "immutable-capacity", Level.ERROR, since="0.1", stage=Stage.REVISION, configurable=True)
