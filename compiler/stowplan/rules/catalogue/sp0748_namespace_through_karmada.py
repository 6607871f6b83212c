"""Namespace among the manifests of a component that Karmada delivers.

## What it checks

A component that Karmada delivers holds no Namespace.

## Why it matters

Karmada copies namespaces of its API server into every member, policies or not. The namespaces that a component's objects
need are rendered by the compiler: on Karmada's side with the label that stops the copying, and in each member that gets the
component.

## Example

```text
apiVersion: v1
kind: Namespace
metadata:
  name: monitoring
```

## Use instead

Leave the Namespace out, or deliver the component by GitOps if it needs labels of its own.

## References

- [Karmada, namespaces](https://karmada.io/docs/userguide/bestpractices/namespace-management/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0748", "namespace-through-karmada", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
