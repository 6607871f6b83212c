"""Storage that the cluster of a job does not have.

## What it checks

The storage of checkpoints and outputs is the cluster's object store or one of its storage classes, and a storage
class comes with a size.

## Why it matters

The job would start and find nowhere to write.

## Example

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
  checkpoint: {storage: fast, path: tts, every: 30m}  # error
```

## Use instead

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
  checkpoint: {storage: fast, path: tts, every: 30m, size: 2Ti}
```

## References

- [Kubernetes, persistent volumes](https://kubernetes.io/docs/concepts/storage/persistent-volumes/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2100", "job-storage", Level.ERROR, since="0.1", stage=Stage.KUEUE)
