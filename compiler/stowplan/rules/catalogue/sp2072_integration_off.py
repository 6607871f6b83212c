"""Job of a kind that Kueue does not manage there.

## What it checks

The integration of every queued job's kind is among those that the snapshot saw enabled, unless the configuration is
rendered.

## Why it matters

Without it Kueue ignores the label: the job starts at once, past every quota.

## Example

```text
kind: InventorySnapshot
spec:
  kueue: {frameworks: [batch/job]}      # some job is a PyTorchJob
```

## Use instead

```text
kind: InventorySnapshot
spec:
  kueue: {frameworks: [batch/job, kubeflow.org/pytorchjob]}
```

## References

- [Kueue, configuration](https://kueue.sigs.k8s.io/docs/installation/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2072", "integration-off", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
