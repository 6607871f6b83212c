"""Cluster that could not be read.

## What it checks

For every cluster that something is rendered for there is an export, or the API server answers.

## Why it matters

What was not seen is never counted as clean.

## Example

`stowplan drift --live exports/` where `exports/` has no file for `east`.

## Use instead

Export the cluster again, or leave it out by naming the clusters to compare.

## References

- [kubectl get](https://kubernetes.io/docs/reference/kubectl/generated/kubectl_get/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1107", "cluster-unknown", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
