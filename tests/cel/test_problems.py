"""Mistakes found at compile time: what is said, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stowplan.cel import CelCompileError, Declarations, compile_expression
from stowplan.cel.types import BOOL, STRING

from .samples import TYPED

PROBLEMS = yaml.safe_load((Path(__file__).parent / "cases" / "problems.yaml").read_text())


@pytest.mark.parametrize("case", PROBLEMS, ids=[case["expr"] for case in PROBLEMS])
def test_problem(case: dict[str, Any]) -> None:
    with pytest.raises(CelCompileError) as caught:
        compile_expression(case["expr"], TYPED, minor=case.get("minor", 36))
    problem = caught.value.problems[0]
    said = " / ".join((problem.message, *problem.helps))
    assert f"{problem.line}:{problem.column}-{problem.end_column}" == case["at"], said
    assert problem.kind == case["kind"], said
    for part in case["has"]:
        assert part in said


def test_all_problems_are_reported_in_order() -> None:
    with pytest.raises(CelCompileError) as caught:
        compile_expression("self.nope == 1 && self.naem == 'x' && foo(1)", TYPED)
    assert [p.column for p in caught.value.problems] == [6, 24, 39]


def test_the_expected_type_is_checked() -> None:
    with pytest.raises(CelCompileError, match="must give bool, not int"):
        compile_expression("self.replicas", TYPED, expect=BOOL)
    assert compile_expression("self.name", TYPED, expect=STRING).result_type == STRING


def test_unchecked_expressions_fail_only_when_evaluated() -> None:
    program = compile_expression("x || true", Declarations.unchecked())
    assert program.evaluate({}) is True
    assert compile_expression("f_unknown(17) || true", Declarations.unchecked()).evaluate({}) is True


@pytest.mark.parametrize(
    ("text", "since"),
    [("self.replicas > 1", 25), ("isIP(self.name)", 31), ("self.?name.hasValue()", 29), ("[1].sort() == [1]", 35)],
)
def test_the_least_version_is_known(text: str, since: int) -> None:
    program = compile_expression(text, TYPED, minor=37)
    assert program.since == since
    compile_expression(text, TYPED, minor=since)
    if since > 25:
        with pytest.raises(CelCompileError):
            compile_expression(text, TYPED, minor=since - 1)


def test_policy_functions_have_no_version() -> None:
    program = compile_expression("math.greatest(1, self.replicas) > 0", TYPED, profile="policy")
    assert program.since is None
    assert [(use.name, use.since) for use in program.uses] == [("math.greatest", None)]
