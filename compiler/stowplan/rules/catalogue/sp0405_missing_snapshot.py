"""Cluster without an inventory snapshot.

## What it checks

Every Cluster has an InventorySnapshot.

## Why it matters

Nothing is known of such a cluster: not its nodes, nor its prices, nor the APIs that it serves. It takes part in
delivery, but nothing can be placed on it.

## Example

```yaml fleet/clusters/west.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: west  # error
spec:
  owner: platform
  environment: production
  provider: onprem
  region: west
  zone: west-a
  failureDomain: west-a
  jurisdiction: US
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0, jobset: 0.11.1}
  storage: {objectStore: "s3://east"}
```

## Use instead

```yaml fleet/clusters/west.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: west
spec:
  owner: platform
  environment: production
  provider: onprem
  region: west
  zone: west-a
  failureDomain: west-a
  jurisdiction: US
  roles: [training, batch, interactive]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0, jobset: 0.11.1}
  storage: {objectStore: "s3://east"}
```

```yaml fleet/inventory/west.yaml
apiVersion: stowplan.io/v1alpha1
kind: InventorySnapshot
metadata:
  name: west
spec:
  cluster: west
  observedAt: "2026-11-01T06:00:00Z"
  kubernetes: v1.36.3
  health: {ready: true}
  nodeGroups:
    - name: h100
      flavor: h100
      nodes: 8
      perNode: {cpu: 128, memory: 1024Gi, accelerators: 8}
  apis: [kueue.x-k8s.io/v1beta2, jobset.x-k8s.io/v1alpha2]
```

## References

- `stowplan inventory` takes snapshots
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule

RULE = Rule("SP0405", "missing-snapshot", Level.WARN, since="0.1", configurable=True)
