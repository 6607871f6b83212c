"""Nothing tolerates a taint of the cluster or its nodes.

## What it checks

Every taint of the Cluster with the effect NoSchedule or NoExecute is tolerated by the intent; every such taint of the
node groups by the flavor or the intent.

## Why it matters

A pod that does not tolerate the taint stays pending on an idle node. Kueue adds the flavor's tolerations to the pods
it admits, but a taint that neither names keeps them out.

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
  components: {kueue: 0.17.0, jobset: 0.11.1}
  storage: {objectStore: "s3://east"}
  taints: [{key: dedicated, value: vision, effect: NoSchedule}]  # reason
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks  # reason
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
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
  taints: [{key: dedicated, value: vision, effect: PreferNoSchedule}]
```

```yaml fleet/example.yaml
apiVersion: stowplan.io/v1alpha1
kind: WorkspaceIntent
metadata:
  name: notebooks
spec:
  tenant: research
  users: 4
  perUser: {accelerators: 1, cpu: 8, memory: 64Gi}
```

## References

- [Kubernetes, taints and tolerations](https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/)
- [Kueue, ResourceFlavor](https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0539", "taint", Level.NOTE, since="0.1", stage=Stage.PLAN)
