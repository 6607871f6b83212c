"""Component of a Cluster that has no known name.

## What it checks

The keys of a Cluster's `components` are the names that the compiler knows, one spelling each; the values are their
versions.

## Why it matters

Which runtimes a cluster can run, which writers share its objects, and which API versions are rendered for it all
follow from these names. `kueu` would be a cluster without Kueue.

## Example

```yaml fleet/clusters/east.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: east
spec:
  owner: platform
  environment: production
  provider: onprem
  region: east
  zone: east-a
  failureDomain: east-a
  jurisdiction: US
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueu: 0.17.0, jobset: 0.11.1}  # error
  storage: {objectStore: "s3://east"}
```

## Use instead

```yaml fleet/clusters/east.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: east
spec:
  owner: platform
  environment: production
  provider: onprem
  region: east
  zone: east-a
  failureDomain: east-a
  jurisdiction: US
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0, jobset: 0.11.1}
  storage: {objectStore: "s3://east"}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0312", "unknown-component", Level.ERROR, since="0.1")
