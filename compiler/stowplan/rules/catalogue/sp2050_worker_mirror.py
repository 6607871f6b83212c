"""Dispatched job that a worker of its set cannot take.

## What it checks

For every job that MultiKueue dispatches, each worker of its candidate set has the namespace, a LocalQueue of the same
name in it before an active ClusterQueue that covers every resource asked for and dispatches no further, and the
training runtime that a TrainJob names (which the manager needs too).

## Why it matters

The manager reserves quota for the job and waits with an empty message; the reason stands on the worker only.

## Example

```text
# manager: LocalQueue speech/north. Worker north: LocalQueue speech/speech only
```

## Use instead

```text
# worker north
kind: LocalQueue
metadata: {name: north, namespace: speech}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2050", "worker-mirror", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
