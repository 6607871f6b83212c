"""Work that may not be interrupted on quota that may be taken back.

## What it checks

An intent with `interruptible: false` is admitted without borrowing.

## Why it matters

Whoever lent the quota reclaims it by preemption, and Kueue spares no job for being uninterruptible.

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
    - {flavor: h200, cluster: north, nominal: 8}
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
  interruptible: false  # error
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
  interruptible: false
```

## References

- [Kueue, preemption](https://kueue.sigs.k8s.io/docs/concepts/preemption/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2094", "uninterruptible-on-borrowed-quota", Level.WARN, since="0.1", stage=Stage.KUEUE)
