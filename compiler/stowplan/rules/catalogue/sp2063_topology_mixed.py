"""Pod set and flavors that disagree on topologies.

## What it checks

A pod set that asks for a place has a flavor with a topology in its queue; nodes belong to one flavor with a topology
only.

## Why it matters

A flavor without a topology refuses the pod set. Nodes in two such flavors are counted twice.

## Example

```text
kueue.x-k8s.io/podset-unconstrained-topology: "true"    # no flavor of the queue has a topology
```

## Use instead

```text
# no annotation
```

## References

- [Kueue, Topology Aware Scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2063", "topology-mixed", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
