"""Dispatched job that a worker of its set cannot take.

## What it checks

For every job that MultiKueue dispatches, each worker of its candidate set has the namespace, a LocalQueue of the same
name in it before an active ClusterQueue that covers every resource asked for and dispatches no further, and the
training runtime that a TrainJob names (which the manager needs too).

## Why it matters

The manager reserves quota for the job and waits with an empty message; the reason stands on the worker only.

## Example

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: research
  priorities: [normal]
  quota:
    - {flavor: h200, cluster: north, nominal: 16}
  queueing: {stop: Hold}
```

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1  # error
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: audio
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

## Use instead

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  cohort: research
  priorities: [normal]
  quota:
    - {flavor: h200, cluster: north, nominal: 16}
```

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: audio
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2050", "worker-mirror", Level.ERROR, since="0.1", stage=Stage.KUEUE)
