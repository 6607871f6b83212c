"""Job of a kind that Kueue does not manage there.

## What it checks

The integration of every queued job's kind is among those that the snapshot saw enabled, unless the configuration is
rendered.

## Why it matters

Without it Kueue ignores the label: the job starts at once, past every quota.

## Example

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1  # error
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: PyTorchJob
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

```yaml fleet/inventory/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: hub
spec:
  cluster: hub
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups: []
  apis:
    - kueue.x-k8s.io/v1beta2
    - jobset.x-k8s.io/v1alpha2
    - trainer.kubeflow.org/v1alpha1
    - kubeflow.org/v1
    - kubeflow.org/v2beta1
    - ray.io/v1
    - leaderworkerset.x-k8s.io/v1
    - batch.volcano.sh/v1alpha1
    - argoproj.io/v1alpha1
  kueue: {frameworks: [batch/job]}
```

## Use instead

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: PyTorchJob
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

```yaml fleet/inventory/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: hub
spec:
  cluster: hub
  observedAt: "2026-11-29T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups: []
  apis:
    - kueue.x-k8s.io/v1beta2
    - jobset.x-k8s.io/v1alpha2
    - trainer.kubeflow.org/v1alpha1
    - kubeflow.org/v1
    - kubeflow.org/v2beta1
    - ray.io/v1
    - leaderworkerset.x-k8s.io/v1
    - batch.volcano.sh/v1alpha1
    - argoproj.io/v1alpha1
  kueue: {frameworks: [batch/job, kubeflow.org/pytorchjob]}
```

## References

- [Kueue, configuration](https://kueue.sigs.k8s.io/docs/installation/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2072", "integration-off", Level.ERROR, since="0.1", stage=Stage.KUEUE)
