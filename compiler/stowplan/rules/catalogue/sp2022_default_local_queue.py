"""LocalQueue called `default`.

## What it checks

No LocalQueue is called `default` by accident.

## Why it matters

Kueue puts every job of the namespace that names no queue into it, suspends it, and lets nobody take the label off
again.

## Example

```text
kind: LocalQueue
metadata: {name: default, namespace: speech}
```

## Use instead

```text
kind: LocalQueue
metadata: {name: speech, namespace: speech}
```

## References

- [Kueue, LocalQueue](https://kueue.sigs.k8s.io/docs/concepts/local_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2022", "default-local-queue", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
