"""Policy test that names what does not exist.

## What it checks

Documents that `stowplan policy test` reads are PolicyTests; the policy, and the clusters, tenants and intents that their
cases name, exist, and so do rules that a case expects something of.

## Why it matters

A test of a policy that was renamed tests nothing.

## Example

A PolicyTest with `policy: image-by-diggest`.

## Use instead

Name a policy of the workspace, or a shipped guardrail.

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1241", "unusable-policy-test", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
