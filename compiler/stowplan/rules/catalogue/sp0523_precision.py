"""The number format is not there in hardware.

## What it checks

The `precisions` that the snapshot reports for the nodes hold `accelerator.precision`. What is not reported does not
count.

## Why it matters

A format that is emulated is several times slower, or the engine refuses to start: FP8 came with Hopper and Ada, FP4
with Blackwell.

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
  accelerator: {precision: fp8}  # reason
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
  accelerator: {vendor: nvidia}
```

## References

- [vLLM, FP8](https://docs.vllm.ai/en/latest/features/quantization/fp8.html)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0523", "precision", Level.NOTE, since="0.1", stage=Stage.PLAN)
