"""Partitions where whole accelerators are needed, or the other way round.

## What it checks

The MIG profile of the nodes is the one that the intent names; without one it needs whole accelerators.

## Why it matters

A partition counts as one device and looks like a whole card to a scheduler that only counts. Partitions have no
peer-to-peer transfer between them, so that a gang that was placed on them fails or crawls at its first exchange.

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
  accelerator: {migProfile: 1g.10gb}  # reason
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
  accelerator: {minMemory: 10Gi}
```

## References

- [NVIDIA, Multi-Instance GPU](https://docs.nvidia.com/datacenter/tesla/mig-user-guide/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0522", "mig", Level.NOTE, since="0.1", stage=Stage.PLAN)
