"""Cluster of which some kinds or files could not be read.

## What it checks

Every wanted kind can be listed and every file of the export can be parsed.

## Why it matters

Objects of a kind that could not be listed may differ or be gone; they are not reported as missing.

## Example

A token that may not list Secrets, or an export that was cut short.

## Use instead

Grant `list` on the kind, or export again.

## References

- [Kubernetes, using RBAC authorization](https://kubernetes.io/docs/reference/access-authn-authz/rbac/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1108", "cluster-partly-read", Level.WARN, since="0.1", stage=Stage.ELSEWHERE)
