"""Job changed in a field that cannot change.

## What it checks

These stay as they are in `rendered/`, as the last compile wrote it: queue, time limit, whether there is a priority class,
manager, and elasticity of a job; the jobs and policies of a JobSet; runtime, trainer, and patches of a TrainJob;
subgroups of a LeaderWorkerSet, and the size of its groups where Kueue (from 0.19.1 on) manages them; the replicas of a
StatefulSet that Kueue manages, but to and from 0. Queue and time limit can change while the job waits, so that this is a
warning. The template of a batch Job is SP0830.

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
