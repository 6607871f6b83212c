"""One accelerator has too little memory.

## What it checks

The memory of one accelerator, or of one partition, as observed on the nodes, is at least `accelerator.minMemory`.

## Why it matters

Memory cannot be overcommitted on a GPU: the job fails on its first batch, after staging and start were paid for. What
a card of 80 GB offers is a little less than 80Gi (81559Mi for an H100), so ask for what is needed and not for the
name of the card.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  accelerator: {minMemory: 120Gi}  # reason
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
  accelerator: {minMemory: 70Gi}
```

## References

- [Kubernetes, device plugins](https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0521", "accelerator-memory", Level.NOTE, since="0.1", stage=Stage.PLAN)
