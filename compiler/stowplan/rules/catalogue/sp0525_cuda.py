"""CUDA or ROCm is too old.

## What it checks

The newest CUDA version that the nodes' driver takes is at least `accelerator.minCuda`; likewise ROCm and `minRocm`.

## Why it matters

An image with a newer toolkit than the driver knows fails when it starts, with `CUDA driver version is insufficient`.
Minor versions are compatible within a major one, across them only with the forward compatibility package.

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
  accelerator: {minCuda: "13.0"}  # reason
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
  accelerator: {minCuda: "12.8"}
```

## References

- [NVIDIA, CUDA compatibility](https://docs.nvidia.com/deploy/cuda-compatibility/)
- [ROCm, compatibility matrix](https://rocm.docs.amd.com/en/latest/compatibility/compatibility-matrix.html)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0525", "cuda", Level.NOTE, since="0.1", stage=Stage.PLAN)
