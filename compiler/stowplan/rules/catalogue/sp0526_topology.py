"""A worker fits no node, or the gang no domain.

## What it checks

One worker fits one node (accelerators, cores, memory), and where `topology.required` names a level, one domain of
that level takes all workers. Totals count, less what services hold for good; what runs now does not matter here.

## Why it matters

Eight free accelerators in each of four blocks are not thirty-two for a gang. Kueue does not admit a workload whose
required level cannot hold it, however much is free in all.

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
  topology: {required: block}  # reason
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

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0526", "topology", Level.NOTE, since="0.1", stage=Stage.PLAN)
