"""Service that opens a port on every node.

## What it checks

No rendered Service is of type `NodePort`.

## Why it matters

The port is open on all nodes, past gateways and their limits, and one service takes it from all others of the cluster.

## Example

```yaml
apiVersion: v1
kind: Service
metadata: {name: web, namespace: team}
spec:
  type: NodePort
  ports: [{port: 80}]
```

## Use instead

```yaml
apiVersion: v1
kind: Service
metadata: {name: web, namespace: team}
spec:
  type: ClusterIP
  ports: [{port: 80}]
```

## References

- [Kubernetes, services](https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8016", "no-node-ports", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
