"""ClusterQueue whose name cannot be a label's value.

## What it checks

The name of a ClusterQueue is a DNS label: at most 63 characters, no dots.

## Why it matters

Kueue writes the name on every pod as a label, and leaves it out where it cannot: whoever selects pods by queue misses
them.

## Example

```text
kind: ClusterQueue
metadata:
  name: speech.research
```

## Use instead

```text
kind: ClusterQueue
metadata:
  name: speech-research
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2018", "queue-name-no-label", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
