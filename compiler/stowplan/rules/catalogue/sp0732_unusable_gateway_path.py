"""Path that is no prefix, or one path for two services.

## What it checks

`gateway.path` has no empty, `.`, or `..` part, and no other service on the gateway of the same cluster has the same
path.

## Why it matters

Of two routes with one path the older wins, and the other service gets nothing.

## Example

```text
kind: InferenceIntent
spec:
  gateway: {path: /v1/chat}    # and the same on another service
```

## Use instead

Give each service a path of its own.

## References

- [Gateway API, HTTPRoute](https://gateway-api.sigs.k8s.io/api-types/httproute/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0732", "unusable-gateway-path", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
