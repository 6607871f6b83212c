"""Job with the wrong manager in `managedBy`.

## What it checks

A job whose queue dispatches through MultiKueue says so in its kind's field (`spec.managedBy`, or
`spec.runPolicy.managedBy`), and no other job does.

## Why it matters

Kueue fills the field in only at creation and only if it knows queue and check already. A job that came before them is
rejected for good, and one that is left to MultiKueue by mistake never starts.

## Example

```yaml fleet/jobs.yaml
apiVersion: stowplan.io/v1alpha1  # error, SP0907
kind: Component
metadata:
  name: jobs
spec:
  selector: {clusters: [hub]}
  manifests: fleet/components/jobs
  wave: 4
  values:
    name: eval
    pods: 4
    labels: {kueue.x-k8s.io/queue-name: north}
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

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2052", "managed-by", Level.ERROR, since="0.1", stage=Stage.KUEUE)
