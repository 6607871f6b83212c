"""Service that does not survive what it says it does.

## What it checks

For a service with `survive: one-cluster` or `one-region`, the loss of any one of them is played through: the other
clusters take its replicas within room, quota and power.

## Why it matters

The time to find out that the second site is too small is not the outage. Traffic that moves to a site without reserve
takes that one down as well.

## Example

```yaml
regions:
  - {region: eu-west, replicas: 40}
  - {region: us-east, replicas: 2}
spread: {minClusters: 2}
survive: one-cluster
```

## Use instead

Give the other clusters room and quota for the load that they must take over, declare fewer replicas, or say `survive:
none` and mean it.

## References

- [Kubernetes, disruptions](https://kubernetes.io/docs/concepts/workloads/pods/disruptions/)
- [Gateway API inference extension](https://gateway-api-inference-extension.sigs.k8s.io/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0603", "reserve-missing", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
