"""Pod set that no flavor of its queue can take.

## What it checks

Some flavor of the queue, on the API server that the job starts at, tolerates, matches, and has the topology for each
pod set; and flavors of two groups of one queue do not give one label two values.

## Why it matters

The job waits for ever, whatever the quota.

## Example

```yaml fleet/flavors/l40s.yaml
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: l40s
spec:
  accelerator: {vendor: nvidia, model: L40S, resource: nvidia.com/gpu}
  capacityType: on-demand
  nodeTaints: [{key: example.com/spot, effect: NoSchedule}]
  nodeLabels: {example.com/flavor: l40s}
  tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
```

```yaml fleet/evals.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: evals
spec:
  selector: {clusters: [south]}
  manifests: fleet/components/evals
  wave: 4
```

```yaml fleet/components/evals/job.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: suite
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: speech}
spec:
  completions: 4
  parallelism: 4
  template:  # error
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: registry.example.com/eval@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
          resources: {requests: {cpu: "4", memory: 16Gi}, limits: {memory: 16Gi}}
```

## Use instead

```yaml fleet/flavors/l40s.yaml
apiVersion: stowplan.io/v1alpha1
kind: Flavor
metadata:
  name: l40s
spec:
  accelerator: {vendor: nvidia, model: L40S, resource: nvidia.com/gpu}
  capacityType: on-demand
  nodeTaints: [{key: example.com/spot, effect: NoSchedule}]
  nodeLabels: {example.com/flavor: l40s}
  tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
    - {key: example.com/spot, operator: Exists, effect: NoSchedule}
```

```yaml fleet/evals.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: evals
spec:
  selector: {clusters: [south]}
  manifests: fleet/components/evals
  wave: 4
```

```yaml fleet/components/evals/job.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: suite
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: speech}
spec:
  completions: 4
  parallelism: 4
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: registry.example.com/eval@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
          resources: {requests: {cpu: "4", memory: 16Gi}, limits: {memory: 16Gi}}
```

## References

- [Kueue, ResourceFlavor](https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2080", "no-flavor-takes-it", Level.ERROR, since="0.1", stage=Stage.KUEUE)
