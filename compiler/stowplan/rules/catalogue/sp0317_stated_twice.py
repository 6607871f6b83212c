"""Row or name that its list has already.

## What it checks

Lists that are looked up by a key have each key once: quota by flavor and cluster, copies by cluster, prices and
queues by flavor, levels, domains, waves, allowed names. The later entry is reported.

## Why it matters

One of the two rows would win. With quotas it is not obvious whether the rows add up or replace each other, so neither
is assumed.

## Example

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  quota:
    - {flavor: h100, nominal: 8}
    - {flavor: h100, nominal: 16}  # error
```

## Use instead

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cohort
metadata:
  name: labs
spec:
  quota:
    - {flavor: h100, nominal: 24}
```

## References

- [Kueue, ClusterQueue](https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0317", "stated-twice", Level.ERROR, since="0.1")
