"""Elastic job of a kind, or in a place, that cannot be elastic.

## What it checks

Only Job, RayCluster, RayJob, and RayService are elastic; they ask for no topology level; before Kueue 0.18 the gate
ElasticJobsViaWorkloadSlices is on, on the manager and on every worker that may run the job, and a flavor with a topology
is worth a warning: pods that come later stay gated.

## Why it matters

Kueue refuses the job, or takes no notice of the annotation.

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
    annotations: {kueue.x-k8s.io/elastic-job: "true"}  # error
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

- [Kueue, elastic workloads](https://kueue.sigs.k8s.io/docs/concepts/elastic_workload/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2073", "elastic-job", Level.ERROR, since="0.1", stage=Stage.KUEUE)
