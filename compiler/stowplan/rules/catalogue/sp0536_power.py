"""The nodes would draw more than the site's cap.

## What it checks

The nodes that one unit needs, at `powerKilowattsPerNode` of the snapshot, stay below `power.capKilowatts` of the
Cluster together with what services draw.

## Why it matters

Racks of dense nodes exceed what many rooms can feed and cool. A cap that is exceeded throttles every job of the room.

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
  power: {capKilowatts: 5}  # reason
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
  power: {capKilowatts: 80}
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

- [NVIDIA DGX H100, power specifications](https://docs.nvidia.com/dgx/dgxh100-user-guide/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0536", "power", Level.NOTE, since="0.1", stage=Stage.PLAN)
