"""Topology that the nodes do not have.

## What it checks

Levels have different labels, at most 16, the node last where it is one; and each is a label that the snapshot
reports.

## Why it matters

A node without one of the labels is no part of the topology: it takes no work of the flavor.

## Example

```text
levels:
- {name: node, label: kubernetes.io/hostname}
- {name: rack, label: example.com/rack}
```

## Use instead

```text
levels:
- {name: rack, label: example.com/rack}
- {name: node, label: kubernetes.io/hostname}
```

## References

- [Kueue, Topology Aware Scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2062", "topology-levels", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
