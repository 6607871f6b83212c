"""Node selector that the flavor sets.

## What it checks

Pods of queued jobs select no node by a label that some flavor of their queue defines.

## Why it matters

Kueue injects the flavor's labels as node selector. A rendered one is a second writer of an atomic map, and a value
that differs stops the job.

## Example

```text
nodeSelector: {example.com/flavor: h200}
```

## Use instead

```text
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions: [{key: example.com/flavor, operator: In, values: [h200]}]
```

## References

- [Kueue, ResourceFlavor](https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2081", "selector-of-flavor", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
