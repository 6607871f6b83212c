"""The operator or the delivery that the work needs is not there.

## What it checks

The `components` of the Cluster hold what the runtime needs: Kueue, the runtime's own operator, for services the
Gateway API and the inference extension. Work that Karmada dispatches needs a Karmada member, a service needs a
gateway.

## Why it matters

A custom resource whose controller is missing is stored and never acted upon: the job exists, and nothing happens.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: finetune
spec:
  tenant: research
  runtime: TrainJob  # reason
  image: trainer-image
  command: [torchrun, finetune.py]
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
```

## Use instead

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

- [Kueue, run workloads](https://kueue.sigs.k8s.io/docs/tasks/run/)
- [Kubeflow Trainer](https://www.kubeflow.org/docs/components/trainer/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0531", "runtime", Level.NOTE, since="0.1", stage=Stage.PLAN)
