"""The cluster does not serve the API.

## What it checks

The APIs that the work is rendered in are among those that the snapshot saw the cluster serve, in a version that can
be rendered.

## Why it matters

Declared components say what should be there, the snapshot what is. An object of an API that is not served stops the
sync of its whole unit: `no matches for kind`.

## Example

```yaml fleet/inventory/east.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: east
spec:
  cluster: east
  observedAt: "2026-11-01T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: h100
      flavor: h100
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2]  # reason
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: research
  runtime: JobSet  # reason
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## Use instead

```yaml fleet/inventory/east.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: east
spec:
  cluster: east
  observedAt: "2026-11-01T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: h100
      flavor: h100
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: research
  runtime: JobSet
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## References

- [Kubernetes, deprecated API migration guide](https://kubernetes.io/docs/reference/using-api/deprecation-guide/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0532", "api", Level.NOTE, since="0.1", stage=Stage.PLAN)
