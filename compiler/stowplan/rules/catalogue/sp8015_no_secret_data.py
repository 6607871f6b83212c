"""Secret with its content in Git.

## What it checks

A rendered Secret holds neither `data` nor `stringData`. This guardrail is mandatory: it takes no exemptions.

## Why it matters

What was ever committed can be read by everybody who can read the repository, for ever.

## Example

```yaml
apiVersion: v1
kind: Secret
metadata: {name: registry, namespace: team}
stringData: {password: example}
type: Opaque
```

## Use instead

```yaml
apiVersion: v1
kind: Secret
metadata: {name: registry, namespace: team}
type: Opaque
```

## References

- [Kubernetes, good practices for secrets](https://kubernetes.io/docs/concepts/security/secrets-good-practices/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP8015", "no-secret-data", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
