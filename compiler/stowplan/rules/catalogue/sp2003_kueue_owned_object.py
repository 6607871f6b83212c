"""Object or field that Kueue makes itself.

## What it checks

Workloads, ProvisioningRequests, finalizers, and status of Kueue's objects are rendered nowhere, nor are the labels and
annotations by which Kueue marks jobs and pods (`prebuilt-workload-name`, `podset`, `multikueue-origin`, and others).

## Why it matters

Kueue makes one Workload for each job and deletes it with the job. A rendered one is fought over, and a rendered
finalizer list takes away the one that holds what is in use.

## Example

```yaml fleet/components/north/cpu.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata:
  name: cpu
  finalizers: [kueue.x-k8s.io/resource-in-use]  # error
spec:
  nodeLabels: {example.com/flavor: cpu}
```

## Use instead

```yaml fleet/components/north/cpu.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata:
  name: cpu
spec:
  nodeLabels: {example.com/flavor: cpu}
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2003", "kueue-owned-object", Level.ERROR, since="0.1", stage=Stage.KUEUE)
