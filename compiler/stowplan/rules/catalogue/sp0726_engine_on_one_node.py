"""Replica on several nodes, for an engine that cannot span nodes.

## What it checks

`replica.nodes` above 1 needs an engine that spreads one replica over nodes: vllm or sglang.

## Why it matters

Every node would load a server of its own, with too few accelerators for the model.

## Example

```text
engine: {type: triton, image: triton-image}
replica: {accelerators: 16, nodes: 2, cpu: 192, memory: 1600Gi}
```

## Use instead

Use one node a replica, or an engine that can span nodes.

## References

- [LeaderWorkerSet](https://lws.sigs.k8s.io/docs/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0726", "engine-on-one-node", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
