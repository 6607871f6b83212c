"""Dispatcher whose order the manager's release does not keep.

## What it checks

`hubs.kueue.dispatcher: Incremental` is used with Kueue 0.19 or newer, and the gates behind which it keeps an order
(MultiKueueIncrementalDispatcherRespectConfigOrder, MultiKueueIncrementalDispatcherConfig) are not turned off.

## Why it matters

Older releases go through the clusters by name, and without the gates so do newer ones, or three clusters are asked at
once. The compiler then puts one cluster into each candidate set, so that its own order holds.

## Example

```yaml fleet/fleet.yaml
apiVersion: stowplan.io/v1alpha1
kind: Fleet
metadata:
  name: demo
spec:
  gitops:
    repository: https://git.example.com/platform/fleet.git
    revision: main
    path: rendered
    engines: [argocd]
  hubs:
    gitops: {cluster: hub}
    kueue: {cluster: hub, dispatcher: Incremental}  # error
  priorities: {high: 1000, normal: 100}
  defaultPriority: normal
  planes:
    clusterLifecycle: none
    inventory: stowplan
    workloadPlacement:
      training: multikueue
      batch: multikueue
      inference: none
      interactive: direct
      components: gitops
    serviceDiscovery: none
    network: none
    traffic: none
    dataReplication: none
    policy: stowplan
  currency: EUR
```

## Use instead

```yaml fleet/fleet.yaml
apiVersion: stowplan.io/v1alpha1
kind: Fleet
metadata:
  name: demo
spec:
  gitops:
    repository: https://git.example.com/platform/fleet.git
    revision: main
    path: rendered
    engines: [argocd]
  hubs:
    gitops: {cluster: hub}
    kueue: {cluster: hub}
  priorities: {high: 1000, normal: 100}
  defaultPriority: normal
  planes:
    clusterLifecycle: none
    inventory: stowplan
    workloadPlacement:
      training: multikueue
      batch: multikueue
      inference: none
      interactive: direct
      components: gitops
    serviceDiscovery: none
    network: none
    traffic: none
    dataReplication: none
    policy: stowplan
  currency: EUR
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2057", "dispatcher-without-order", Level.WARN, since="0.1", stage=Stage.KUEUE)
