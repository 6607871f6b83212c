"""Job with the wrong manager in `managedBy`.

## What it checks

A job whose queue dispatches through MultiKueue says so in its kind's field (`spec.managedBy`, or
`spec.runPolicy.managedBy`), and no other job does.

## Why it matters

Kueue fills the field in only at creation and only if it knows queue and check already. A job that came before them is
rejected for good, and one that is left to MultiKueue by mistake never starts.

## Example

```yaml fleet/evals.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: evals
spec:
  selector: {clusters: [hub]}
  manifests: fleet/components/evals
  wave: 4
```

```yaml fleet/components/evals/job.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: suite
  namespace: speech
  labels: {kueue.x-k8s.io/queue-name: north}
spec:  # error, SP0907
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

## Use instead

```yaml fleet/evals.yaml
apiVersion: stowplan.io/v1alpha1
kind: Component
metadata:
  name: evals
spec:
  selector: {clusters: [north]}
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

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2052", "managed-by", Level.ERROR, since="0.1", stage=Stage.KUEUE)
