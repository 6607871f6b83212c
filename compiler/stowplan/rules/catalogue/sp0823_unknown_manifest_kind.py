"""Manifest of a kind that is not served.

## What it checks

`stowplan validate` knows the built-in kinds of the Kubernetes version asked for, the custom kinds that ship with the
compiler, and those of `--crds`. An object of any other kind or version cannot be judged.

## Why it matters

A server refuses the object, and an engine that syncs it stops there.

## Example

An `Ingress` of `extensions/v1beta1`, which no supported version serves.

## Use instead

Name a version that is served, or give the kind's definition with `--crds`.

## References

- [Kubernetes, deprecated API migration guide](https://kubernetes.io/docs/reference/using-api/deprecation-guide/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP0823", "unknown-manifest-kind", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
