"""LocalQueue that leads nowhere, or to two places.

## What it checks

A LocalQueue leads to a ClusterQueue that is rendered for the same API server and lies in a namespace that there is.
On the manager one LocalQueue leads to one candidate set: two routes of one queue name to different clusters cannot
both be dispatched.

## Why it matters

Jobs in it wait for ever: Kueue reports the cause in the queue's status only.

## Example

```text
# two intents of one tenant
route: {cluster: north, localQueue: nightly}
route: {cluster: south, localQueue: nightly}
```

## Use instead

```text
route: {cluster: north, localQueue: nightly}
route: {cluster: south, localQueue: nightly-south}
```

## References

- [Kueue, LocalQueue](https://kueue.sigs.k8s.io/docs/concepts/local_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2021", "local-queue-target", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
