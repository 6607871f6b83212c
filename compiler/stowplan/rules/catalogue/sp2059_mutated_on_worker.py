"""Policy on a worker that changes mirrored jobs.

## What it checks

No mutating policy or webhook rendered for a worker takes kinds of jobs without leaving out what carries the label
`kueue.x-k8s.io/multikueue-origin`.

## Why it matters

A job that differs from the Workload it was admitted with is evicted, dispatched again, changed again, and so on.

## Example

```text
kind: ClusterPolicy
spec:
  rules:
  - match: {any: [{resources: {kinds: [Job]}}]}
    mutate: {}
```

## Use instead

```text
kind: ClusterPolicy
spec:
  rules:
  - match: {any: [{resources: {kinds: [Job]}}]}
    exclude:
      any:
      - resources:
          selector: {matchLabels: {kueue.x-k8s.io/multikueue-origin: "*"}}
    mutate: {}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2059", "mutated-on-worker", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
