"""Manifest that the API server takes with a warning.

## What it checks

What the server would say in a `Warning` header: deprecated versions, finalizers of a doubtful form, fields that a lenient
server drops.

## Why it matters

What is deprecated is not served for ever.

## Example

A `LocalQueue` of `kueue.x-k8s.io/v1beta1`, a version that is deprecated.

## Use instead

Move to the version that the message or the kind's documentation names.

## References

- [Kubernetes, deprecation policy](https://kubernetes.io/docs/reference/using-api/deprecation-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0825", "manifest-warning", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True)
