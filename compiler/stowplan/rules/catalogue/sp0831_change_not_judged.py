"""Change that cannot be judged, since it is not known what was rendered before.

## What it checks

A file that the lock lists and that is to be written anew is missing, or is not what the lock says, or holds no object
that can be read. What was in it is not guessed: the object is judged by itself, as if it were new.

## Why it matters

An immutable field may have changed, and nobody would say so before the cluster does. Guardrails see no `oldObject`.

## Example

What was rendered has been edited by hand.

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

```yaml rendered/clusters/north/component-jobs/job-speech-eval.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: eval
  namespace: speech
spec:
  parallelism: 5  # error
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
    pods: 6
    labels: {kueue.x-k8s.io/queue-name: speech}
```

## Use instead

The tree as it was committed, and so what the clusters have: `git checkout HEAD -- rendered`. The same change is then judged, and let go.

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
    pods: 6
    labels: {kueue.x-k8s.io/queue-name: speech}
```

## References

- docs/guide.md
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0831", "change-not-judged", Level.NOTE, since="0.1", stage=Stage.REVISION, configurable=True)
