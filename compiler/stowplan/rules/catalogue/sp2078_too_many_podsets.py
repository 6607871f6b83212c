"""Job with more pod sets than a Workload holds.

## What it checks

A job has at most 10 pod sets, 8 before Kueue 0.18.

## Why it matters

Kueue cannot make the Workload, so the job is never admitted.

## Example

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1  # error
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: JobSet
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
  options:
    replicatedJobs:
      - {name: loader, count: 1, command: [python, loader.py], cpu: 1, memory: 4Gi}
      - {name: cache, count: 1, command: [python, cache.py], cpu: 1, memory: 4Gi}
      - {name: score, count: 1, command: [python, score.py], cpu: 1, memory: 4Gi}
      - {name: log, count: 1, command: [python, log.py], cpu: 1, memory: 4Gi}
      - {name: watch, count: 1, command: [python, watch.py], cpu: 1, memory: 4Gi}
      - {name: plot, count: 1, command: [python, plot.py], cpu: 1, memory: 4Gi}
      - {name: mail, count: 1, command: [python, mail.py], cpu: 1, memory: 4Gi}
      - {name: clean, count: 1, command: [python, clean.py], cpu: 1, memory: 4Gi}
```

## Use instead

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: JobSet
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
  options:
    replicatedJobs:
      - {name: loader, count: 1, command: [python, loader.py], cpu: 1, memory: 4Gi}
      - {name: cache, count: 1, command: [python, cache.py], cpu: 1, memory: 4Gi}
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2078", "too-many-podsets", Level.ERROR, since="0.1", stage=Stage.KUEUE)
