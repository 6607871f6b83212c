"""The shipped guardrails: their unit tests, the examples of their rules' pages, levels, and export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stowplan.policies.export import export_guardrail
from stowplan.policies.guardrails import Guardrail
from stowplan.policies.shipped import SHIPPED_CODES
from stowplan.policies.testing import TestSubjects, run_policy_tests
from stowplan.policies.workbench import open_workbench
from stowplan.rules.registry import REGISTRY
from stowplan.schema.builtin import judge_builtin
from stowplan.source.api_yaml import read_documents
from stowplan.source.files import SourceTree

CASES = Path(__file__).parent / "shipped"
BENCH = open_workbench(Path(__file__).parent)
SHIPPED = {g.name: g for g in BENCH.guardrails}


def test_all__compile() -> None:
    assert BENCH.diagnostics == ()
    assert list(SHIPPED) == list(SHIPPED_CODES)
    assert [g.code for g in BENCH.guardrails] == list(SHIPPED_CODES.values())


@pytest.mark.parametrize("name", SHIPPED_CODES)
def test_unit_tests(name: str) -> None:
    text = (CASES / f"{name}.yaml").read_text(encoding="utf-8")
    outcome = run_policy_tests(SourceTree.from_texts({"t.yaml": text}), BENCH.subjects)
    assert [f"{d.message} {d.notes}" for d in outcome.diagnostics] == []
    assert outcome.value.n_cases >= 2
    assert "pass" in text and "fail" in text


@pytest.mark.parametrize("name", SHIPPED_CODES)
def test_page__examples_and_level(name: str) -> None:
    page = REGISTRY.find(name)
    assert page is not None
    guardrail = SHIPPED[name]
    assert page.rule.default.severity is guardrail.severity and page.rule.configurable
    assert outcomes(guardrail, page.blocks("Example")[0].text) == "fail"
    assert outcomes(guardrail, page.blocks("Use instead")[0].text) == "pass"


def outcomes(guardrail: Guardrail, text: str) -> str:
    """The outcome on the first object, the others being its neighbours."""
    first, *others = [d.value for d in read_documents(text)]
    for word in ("pass", "fail"):
        case: dict[str, Any] = {"name": "page", "object": first, "neighbours": others, "expect": word}
        test = {
            "apiVersion": "stowplan.io/v1alpha1",
            "kind": "PolicyTest",
            "metadata": {"name": "page"},
            "spec": {"policy": guardrail.name, "cases": [case]},
        }
        import json

        tree = SourceTree.from_texts({"t.yaml": json.dumps(test)})
        if not run_policy_tests(tree, TestSubjects({guardrail.name: guardrail}, {}, {})).diagnostics:
            return word
    return "neither"


OFFLINE_ONLY = {"disruption-budget", "egress-denied-by-default"}


@pytest.mark.parametrize("name", SHIPPED_CODES)
def test_export__is_what_a_server_stores(name: str) -> None:
    guardrail = SHIPPED[name]
    outcome = export_guardrail(guardrail.entity, {31: ("old",), 36: ("new",)}, BENCH.schemas)
    if name in OFFLINE_ONLY:
        assert {d.code for d in outcome.diagnostics} == {"SP1231"}
        assert all("column" in d.message for d in outcome.diagnostics)
        return
    assert [d.message for d in outcome.diagnostics] == []
    policy, binding = outcome.value
    for made in outcome.value:
        for minor in (31, 36):
            verdict = judge_builtin(made, minor)
            assert verdict.accepted and verdict.stored == made
    assert binding["spec"]["policyName"] == policy["metadata"]["name"]
