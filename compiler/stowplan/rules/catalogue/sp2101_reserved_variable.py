"""Environment variable whose name is the compiler's.

## What it checks

No variable of an intent starts with `STOWPLAN_`.

## Why it matters

The compiler tells the program by such variables where data, checkpoints, and the attempt's own output are. A second
value would send attempts into each other's output.

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
  env: {STOWPLAN_OUTPUT_URI: "s3://bucket/run"}  # error
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
  env: {RUN_OUTPUT_URI: "s3://bucket/run"}
```

## References

- [Kubernetes, environment variables](https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2101", "reserved-variable", Level.ERROR, since="0.1", stage=Stage.KUEUE)
