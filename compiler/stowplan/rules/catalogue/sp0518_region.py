"""The cluster lies in another region.

## What it checks

The `region` of the Cluster is among those that the tenant allows and that the intent names; for a service, among
those that it declares replicas for.

## Why it matters

A service is near its users or it is slow; a job is near its data or it waits for the copy.

## Example

```yaml fleet/clusters/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: hub
spec:
  owner: platform
  environment: production
  provider: onprem
  region: west
  zone: west-a
  failureDomain: west-a
  jurisdiction: US
  roles: [hub]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0, argocd: 3.6.1}
  storage: {objectStore: "s3://east"}
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  regions: [west]  # reason
```

## Use instead

```yaml fleet/clusters/hub.yaml
apiVersion: stowplan.io/v1alpha1
kind: Cluster
metadata:
  name: hub
spec:
  owner: platform
  environment: production
  provider: onprem
  region: west
  zone: west-a
  failureDomain: west-a
  jurisdiction: US
  roles: [hub]
  delivery: {engine: argocd}
  kubernetes: "1.36"
  components: {kueue: 0.17.0, argocd: 3.6.1}
  storage: {objectStore: "s3://east"}
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: BatchIntent
metadata:
  name: evaluate
spec:
  tenant: research
  runtime: Job
  image: trainer-image
  command: [python, evaluate.py]
  shards: {count: 8, accelerators: 1, cpu: 8, memory: 64Gi}
  duration: {expectedPerShard: 1h}
  interruptible: true
  regions: [east]
```

## References

- [Kubernetes, well-known labels: topology](https://kubernetes.io/docs/reference/labels-annotations-taints/#topologykubernetesioregion)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0518", "region", Level.NOTE, since="0.1", stage=Stage.PLAN)
