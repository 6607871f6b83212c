"""Expressions with known values, by both back ends; failures with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stowplan.cel import CelEvaluationError, Declarations, compile_expression

from .samples import VARIABLES

CASES = Path(__file__).parent / "cases"
TRUE = [(group, text) for group, texts in yaml.safe_load((CASES / "true.yaml").read_text()).items() for text in texts]
FAILURES = yaml.safe_load((CASES / "failures.yaml").read_text())
DYNAMIC = Declarations.dynamic("self", "other")


@pytest.mark.parametrize(("group", "text"), TRUE, ids=[f"{group}-{i}" for i, (group, _) in enumerate(TRUE)])
def test_true(group: str, text: str) -> None:
    mixed = group in ("policy", "language")
    program = compile_expression(text, DYNAMIC, profile="policy" if mixed else "kubernetes")
    assert program.evaluate_exactly(VARIABLES) is True
    assert program.evaluate(VARIABLES) is True
    assert program.evaluate_bool(VARIABLES) is True


@pytest.mark.parametrize("case", FAILURES, ids=[case["expr"] for case in FAILURES])
def test_failures(case: dict[str, Any]) -> None:
    program = compile_expression(case["expr"], DYNAMIC)
    for evaluate in (program.evaluate, program.evaluate_exactly, program.evaluate_bool):
        with pytest.raises(CelEvaluationError) as caught:
            evaluate(VARIABLES)
        assert case["has"] in caught.value.message
        assert f"{caught.value.line}:{caught.value.column}" == case["at"]
        assert str(caught.value).startswith(case["at"])


def test_a_result_that_is_no_bool_is_an_error() -> None:
    with pytest.raises(CelEvaluationError, match="gave int, not a bool"):
        compile_expression("self.replicas", DYNAMIC).evaluate_bool(VARIABLES)
