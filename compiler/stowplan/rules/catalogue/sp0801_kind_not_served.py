"""Object of a kind or version that its cluster does not serve.

## What it checks

The API version and kind of every rendered object is served by its target: by the Kubernetes minor of the Cluster, or
by the custom resource definitions known of it. Versions that are served are named.

## Why it matters

The engine stops at such an object with `no matches for kind`, and the rest of its unit with it. After an upgrade this
hits the versions that were removed, on the clusters that were upgraded first.

## Example

```yaml
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3   # not served since Kubernetes 1.32
kind: FlowSchema
```

## Use instead

```yaml
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
```

Where a template of the workspace states the version, let it follow the target's.

## References

- [Kubernetes, deprecated API migration guide](https://kubernetes.io/docs/reference/using-api/deprecation-guide/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0801", "kind-not-served", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
