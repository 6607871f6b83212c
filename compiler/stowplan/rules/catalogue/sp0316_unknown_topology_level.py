"""Topology level that no cluster has.

## What it checks

The level that an intent requires or prefers is a level of the topology of some cluster's snapshot.

## Why it matters

Levels are names that the fleet gives to node labels. A gang that requires a level which nobody has can run nowhere,
and with `preferred` the wish would be dropped in silence and the gang spread over the building.

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
  workers: {count: 4, accelerators: 8, cpu: 96, memory: 800Gi}
  duration: {expected: 24h}
  interruptible: true
  topology: {required: rack}  # error
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
  topology: {required: block}
```

## References

- [Kueue, topology aware scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0316", "unknown-topology-level", Level.ERROR, since="0.1")
