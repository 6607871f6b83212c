"""Workspace with no Fleet, or with two.

## What it checks

Exactly one document of the workspace is of the kind Fleet.

## Why it matters

The Fleet says where the rendered tree lives, which priorities exist, and who owns each plane. Two of them would be
two owners of everything.

## Example

```text
fleet/fleet.yaml     kind: Fleet, name: aurora
fleet/copy.yaml      kind: Fleet, name: aurora-old
```

## Use instead

One Fleet a workspace. Clusters with other owners, repositories or hubs are a fleet and a workspace of their own;
`stowplan init` makes one.

## References

- docs/architecture.md
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0311", "not-one-fleet", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
