"""Policy test whose policy says something else.

## What it checks

Every case of a PolicyTest has the outcome that it expects: pass, fail or not-applicable, of the policy as a whole, of each
validation in order, or of rules by name; and its message contains what is expected.

## Why it matters

Either the policy changed its meaning, or the test was wrong.

## Example

A case that expects `fail` of an object that the policy lets pass.

## Use instead

Mend the policy, or the expectation.

## References

- [Kubernetes, validating admission policy](https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/)
"""

from __future__ import annotations

from stowplan.rules.model import Level, Rule, Stage

RULE = Rule("SP1242", "policy-test-failed", Level.ERROR, since="0.1", stage=Stage.ELSEWHERE)
