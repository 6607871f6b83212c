"""Partial admission out of bounds, or against Git.

## What it checks

`job-min-parallelism` is a number above 0 and below the job's parallelism. Since Kueue then rewrites
`spec.parallelism`, a rendered job that has it is reported too.

## Why it matters

Out of bounds the webhook refuses the job. Within them, engine and Kueue write the same field in turns.

## Example

```yaml fleet/jobs.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: jobs
spec:
  selector: {clusters: [north]}
  manifests: fleet/components/jobs
  wave: 4
  values:
    name: eval
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: speech}
    annotations: {kueue.x-k8s.io/job-min-parallelism: "8"}  # error
```

## Use instead

```yaml fleet/jobs.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: jobs
spec:
  selector: {clusters: [north]}
  manifests: fleet/components/jobs
  wave: 4
  values:
    name: eval
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: speech}
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2074", "partial-admission", Level.ERROR, since="0.1", stage=Stage.KUEUE)
