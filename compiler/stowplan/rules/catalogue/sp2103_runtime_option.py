"""Option that a runtime does not have.

## What it checks

Options are those of the intent's runtime and of the right form; a training runtime that an intent names is one that
the snapshot saw; an elastic job asks for no topology level.

## Why it matters

An option that nobody reads does nothing.

## Example

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: TrainJob
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
  options: {runtimeName: stowplan-torch}  # error
```

## Use instead

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts
spec:
  tenant: speech
  runtime: TrainJob
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 8, cpu: 90, memory: 700Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
  options: {runtime: stowplan-torch}
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2103", "runtime-option", Level.ERROR, since="0.1", stage=Stage.KUEUE)
