"""Placed work that Kueue would not admit now.

## What it checks

The compiler plays through what Kueue would do with everything rendered: flavors in order, quota with borrowing, nodes
and topology domains, from the snapshot's free capacity and usage. What the plan has placed is admitted.

## Why it matters

The plan counts accelerators; Kueue counts cpu, memory, pods, and devices too. A job that asks for more of those than
its share of a node waits behind its own queue's quota.

## Example

```text
workers: {count: 4, accelerators: 1, cpu: 90, memory: 64Gi}    # nodes have 96 cores for 8 accelerators
```

## Use instead

```text
workers: {count: 4, accelerators: 1, cpu: 12, memory: 64Gi}
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2093", "nomination-waits", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
