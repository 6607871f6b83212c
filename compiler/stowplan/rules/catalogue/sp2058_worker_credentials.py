"""Connection to a worker that Kueue would not take, or that is not there.

## What it checks

A kubeconfig comes from a Secret in Kueue's namespace (that the manager's snapshot saw, if it looked) or from a path
below `/etc/multikueue/kubeconfigs`; it is never rendered. For a ClusterProfile, a configuration that is rendered has
some provider of credentials (`kueue.credentialsProviders` of the manager's Cluster).

## Why it matters

Without it the worker is not connected. A credential in Git is a credential lost.

## Example

```yaml fleet/components/hub/west.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueCluster
metadata:
  name: west
spec:  # error
  clusterSource:
    kubeConfig: {location: /home/kueue/.kube/config, locationType: Path}
```

## Use instead

```yaml fleet/components/hub/west.yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueCluster
metadata:
  name: west
spec:
  clusterSource:
    kubeConfig: {location: multikueue-west, locationType: Secret}
```

## References

- [Kueue, MultiKueue](https://kueue.sigs.k8s.io/docs/concepts/multikueue/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP2058", "worker-credentials", Level.WARN, since="0.1", stage=Stage.KUEUE)
