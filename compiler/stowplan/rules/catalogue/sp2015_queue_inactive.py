"""ClusterQueue that Kueue would not activate.

## What it checks

Every flavor, topology, check, and configuration that a ClusterQueue refers to is rendered for the same API server.
The message has Kueue's own reason: FlavorNotFound, TopologyNotFound, AdmissionCheckNotFound, AdmissionCheckInactive.

## Why it matters

An inactive queue admits nothing, and says so only in its status.

## Example

```text
flavors:
- name: h2000   # no such ResourceFlavor
```

## Use instead

```text
flavors:
- name: h200
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2015", "queue-inactive", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
