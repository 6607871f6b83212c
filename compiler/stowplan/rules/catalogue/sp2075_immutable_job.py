"""Job changed in a field that cannot change.

## What it checks

Queue, priority class (once stated), manager, elasticity, and what JobSet and TrainJob fix at creation stay as they are
in `rendered/`, as the last compile wrote it. The queue can change while the job waits, so that this is a warning.

## Why it matters

The API server or a webhook refuses the change, at every sync.

## Example

```yaml fleet/jobs.yaml before
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
    labels: {kueue.x-k8s.io/queue-name: north}  # error
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
    name: eval-2
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: north}
```

## References

- [Kueue, running jobs](https://kueue.sigs.k8s.io/docs/tasks/run/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2075", "immutable-job", Level.ERROR, since="0.1", stage=Stage.REVISION, configurable=True)
