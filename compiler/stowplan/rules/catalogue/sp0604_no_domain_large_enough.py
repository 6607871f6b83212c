"""Gang that fits the cluster but no single domain of it.

## What it checks

Where topology is all that speaks against a gang, this code says so: no domain of the level that it requires takes all
its workers. Its level is the intent's `onUnplaced`.

## Why it matters

Eight free accelerators in each of four blocks are not thirty-two for a gang: the collectives of synchronous training
run at the speed of the slowest link. Kueue does not admit a workload whose required level cannot hold it.

## Example

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
  workers: {count: 5, accelerators: 6, cpu: 64, memory: 600Gi}
  duration: {expected: 24h}
  interruptible: true
  topology: {required: block}  # error
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
  workers: {count: 4, accelerators: 6, cpu: 64, memory: 600Gi}
  duration: {expected: 24h}
  interruptible: true
  topology: {required: block}
```

## References

- [Kueue, topology aware scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0604", "no-domain-large-enough", Level.WARN, since="0.1")
