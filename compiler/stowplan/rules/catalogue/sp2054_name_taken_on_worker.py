"""Job on a worker with the name of one that MultiKueue would bring.

## What it checks

No worker of a job's candidate set has a rendered object of the same kind, namespace, and name.

## Why it matters

MultiKueue neither takes over nor replaces it: the worker's quota is held, the job waits with an empty message.

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
    name: asr  # error
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: speech}
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
    name: asr-eval
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: speech}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2054", "name-taken-on-worker", Level.ERROR, since="0.1", stage=Stage.KUEUE)
