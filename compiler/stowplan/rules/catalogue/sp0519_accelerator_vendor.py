"""The accelerators are of another maker.

## What it checks

`accelerator.vendor` of the intent is what the device plugin of every node group of the flavor reports.

## Why it matters

An image built for CUDA does not start on ROCm. The extended resource differs too (`nvidia.com/gpu`, `amd.com/gpu`),
so that the pod would ask for something that no node has.

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
  accelerator: {vendor: amd}  # reason
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

- [Kubernetes, device plugins](https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0519", "accelerator-vendor", Level.NOTE, since="0.1", stage=Stage.PLAN)
