"""The driver is too old.

## What it checks

The driver version of every node group of the flavor is at least `accelerator.minDriver`, compared number by number.

## Why it matters

The driver belongs to the node and is shared by all pods; an image cannot bring its own. CUDA 12 needs 525 or newer on
data centre cards, CUDA 13 needs 580.

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
  accelerator: {minDriver: "580"}  # reason
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
  accelerator: {minDriver: "570"}
```

## References

- [NVIDIA, CUDA compatibility](https://docs.nvidia.com/deploy/cuda-compatibility/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0524", "driver", Level.NOTE, since="0.1", stage=Stage.PLAN)
