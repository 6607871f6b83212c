"""The accelerators are of no model that will do.

## What it checks

Where the intent lists `accelerator.models`, the observed model of every node group of the flavor is among them. An
intent that needs accelerators does not fit a flavor without any.

## Why it matters

Two models of one maker differ in memory, in number formats and in links. Where it matters the list says so; where it
does not, leave it out and ask for memory.

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
  accelerator: {models: [B200]}  # reason
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
  accelerator: {models: [B200, H100-SXM-80G]}
```

## References

- [Kueue, ResourceFlavor](https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0520", "accelerator-model", Level.NOTE, since="0.1", stage=Stage.PLAN)
