"""Rule of a custom kind that the cluster's Kubernetes cannot compile.

## What it checks

Every CEL rule of a definition compiles with the functions that the Kubernetes minor of the cluster has.

## Why it matters

Functions join with Kubernetes versions (`format` libraries in 1.32, for one). An older server refuses the whole
definition, and the controller behind it never starts.

## Example

```yaml
x-kubernetes-validations:
  - rule: "!format.dns1123Label().validate(self).hasValue()"      # on Kubernetes 1.29
```

## Use instead

Upgrade the cluster, or stay with the release of the controller that supports its version.

## References

- [Kubernetes, Common Expression Language](https://kubernetes.io/docs/reference/using-api/cel/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0814", "rule-out-of-reach", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
