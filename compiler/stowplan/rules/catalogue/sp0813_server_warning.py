"""Warning that the API server would give.

## What it checks

What the server accepts with a warning is told: deprecated versions, fields without effect, values that a later
version refuses.

## Why it matters

Nobody sees the warnings of an engine's apply. They announce what the next upgrade breaks.

## Example

```yaml
metadata:
  annotations: {container.seccomp.security.alpha.kubernetes.io/app: runtime/default}      # not functional since 1.27
```

## Use instead

```yaml
securityContext:
  seccompProfile: {type: RuntimeDefault}
```

## References

- [Kubernetes, deprecation policy](https://kubernetes.io/docs/reference/using-api/deprecation-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0813", "server-warning", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
