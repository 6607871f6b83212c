"""Storage that the cluster of a job does not have.

## What it checks

The storage of checkpoints and outputs is the cluster's object store or one of its storage classes, and a storage
class comes with a size.

## Why it matters

The job would start and find nowhere to write.

## Example

```text
checkpoint: {storage: fast, path: run, every: 30m}
```

## Use instead

```text
checkpoint: {storage: fast, path: run, every: 30m, size: 2Ti}
```

## References

- [Kubernetes, persistent volumes](https://kubernetes.io/docs/concepts/storage/persistent-volumes/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2100", "job-storage", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
