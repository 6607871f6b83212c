"""Topology, flavor, or check changed in a field that cannot change.

## What it checks

Between two revisions the levels of a Topology, the topology (and, before Kueue 0.20, labels and tolerations) of a
ResourceFlavor with one, and the controller of an AdmissionCheck stay as they are.

## Why it matters

The API server refuses the change, at every sync.

## Example

```text
kind: Topology               # before: block, hostname
spec:
  levels: [{nodeLabel: example.com/rack}, {nodeLabel: kubernetes.io/hostname}]
```

## Use instead

```text
kind: Topology
metadata: {name: fabric-2}   # a new one, and a new flavor with it
```

## References

- [Kueue, Topology Aware Scheduling](https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2064", "immutable-capacity", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
