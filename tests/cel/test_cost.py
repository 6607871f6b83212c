"""The estimated cost of rules, and what is said where it is too much."""

from __future__ import annotations

from typing import Any

import pytest

from stowplan.cel import Declarations, compile_expression
from stowplan.schema.builtin import judge_builtin
from stowplan.schema.builtin.validation.crd_rules import rule_type
from stowplan.schema.declared_sizes import DeclaredSize

from .cost_cases import COSTS, DEFINITIONS, SCHEMA


@pytest.mark.parametrize(("rule", "cost"), COSTS)
def test_cost(rule: str, cost: int) -> None:
    declared, kind = DeclaredSize.of(SCHEMA), rule_type(SCHEMA, root=False)
    assert declared is not None
    assert kind is not None
    declarations = Declarations({"self": kind, "oldSelf": kind})
    assert compile_expression(rule, declarations).cost(declared) == cost


@pytest.mark.parametrize("macro", ["optMap(x, x + 'a')", "optFlatMap(x, optional.of(x))"])
def test_a_chain_of_macros_does_not_double_without_end(macro: str) -> None:
    declared, kind = DeclaredSize.of(SCHEMA), rule_type(SCHEMA, root=False)
    assert declared is not None
    assert kind is not None
    for links, least in ((10, 1000), (80, 2**64 - 1)):
        rule = f"self.?n.hasValue() && self.?name{f'.{macro}' * links}.orValue('') == ''"
        assert compile_expression(rule, Declarations({"self": kind})).cost(declared) >= least


def definition(spec: dict[str, Any]) -> dict[str, Any]:
    """A definition with this schema of `spec`."""
    schema = {"type": "object", "properties": {"spec": spec}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "samples.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": "samples", "singular": "sample", "kind": "Sample", "listKind": "SampleList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def judged(spec: dict[str, Any]) -> list[tuple[str, str]]:
    """Where and what is said of a definition with this schema of `spec`."""
    found = judge_builtin(definition(spec), 36, None, True)
    return [(error.field, error.message.partition(" (try")[0]) for error in found.errors]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definition(name: str) -> None:
    schema, wanted = DEFINITIONS[name]
    found = judged(schema)
    assert [text for _, text in found] == [f"Forbidden: {text}" for _, text in wanted]
    assert [place for (place, _), (end, _) in zip(found, wanted, strict=True) if not place.endswith(end)] == []


def test_the_text_says_what_helps() -> None:
    (error,) = judge_builtin(definition(DEFINITIONS["slow"][0]), 36, None, True).errors
    assert error.message.endswith(
        "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )


def test_a_rule_that_costs_too_much_is_still_one_that_compiles() -> None:
    rule = {"rule": "self.all(a, self.all(b, a == b)) || !oldSelf.hasValue()", "optionalOldSelf": True}
    found = judged({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [rule]})
    assert [text for _, text in found if "optionalOldSelf" in text or "oldSelf is not used" in text] == []
    assert "estimated rule cost" in found[0][1]
