"""Guardrail that reads a field which some clusters do not have.

## What it checks

The fields that a guardrail's expressions read are looked up in the schema of each cluster for which a matching object is
rendered. A field that some of them have and others lack is reported with the clusters.

## Why it matters

Where a field does not exist it can be neither set nor required: the guardrail holds on some clusters and says nothing, or
fails, on others.

## Example

A guardrail over `object.spec.template.spec.resources`, with clusters of Kubernetes 1.31 and 1.36 in the fleet: pods have
`resources` of their own from 1.32 on.

## Use instead

Limit the guardrail with `match.clusters`, or ask with `has(...)` first.

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule(
    "SP0815", "field-missing-on-some-clusters", Level.WARN, since="0.1", stage=Stage.ELSEWHERE, configurable=True
)
