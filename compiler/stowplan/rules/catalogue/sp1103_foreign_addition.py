"""Field that somebody added to a rendered object.

## What it checks

Fields, list items, labels, and annotations that are live and not rendered are reported with their owner, unless the API
server or a controller of the atlas is known to write them.

## Why it matters

Neither Argo CD nor Flux shows such additions, since applying the rendered object would not change them.

## Example

An environment variable added with `kubectl edit`.

## Use instead

Render the field, or remove it from the cluster.

## References

- [Kubernetes, server-side apply: merge strategy](https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1103", "foreign-addition", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
