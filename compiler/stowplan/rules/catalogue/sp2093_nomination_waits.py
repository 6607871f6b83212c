"""Placed work that Kueue would not admit now.

## What it checks

The compiler plays through what Kueue would do with everything rendered: flavors in order, quota with borrowing, nodes
and topology domains, from the snapshot's free capacity and usage. What the plan has placed is admitted, and so are the pods that elastic work gains while it runs.

What MultiKueue dispatches needs quota on the manager before any worker gets a copy, and is taken by the cluster that the plan chose.

## Why it matters

The plan counts accelerators; Kueue counts cpu, memory, pods, and devices too. A job that asks for more of those than
its share of a node waits behind its own queue's quota.

## Example

```yaml fleet/audio.yaml
apiVersion: stowplan.io/v1alpha1
kind: Tenant
metadata:
  name: audio
spec:
  namespaces: [audio]
  priorities: [normal]
  quota:
    - {flavor: h200, cluster: north, nominal: 8}
```

```yaml fleet/tts.yaml
apiVersion: stowplan.io/v1alpha1
kind: TrainingIntent
metadata:
  name: tts  # error
spec:
  tenant: audio
  runtime: Job
  image: trainer
  command: [torchrun, train.py]
  workers: {count: 2, accelerators: 1, cpu: 90, memory: 64Gi}
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
  workers: {count: 2, accelerators: 1, cpu: 12, memory: 64Gi}
  accelerator: {vendor: nvidia, minMemory: 100Gi}
  duration: {expected: 4h}
  interruptible: true
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2093", "nomination-waits", Level.WARN, since="0.1", stage=Stage.KUEUE)
