"""Generated expressions against Google's C++ engine, where it is installed.

That engine is only safe to read booleans from on Python 3.11: every result is compared inside the expression. Neither
engine checks types here, so that the operators meet values of every kind.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from stowplan.cel import CelCompileError, CelEvaluationError, Declarations, compile_expression

from .generated import loose_booleans, typed_booleans, typed_variables, variables

cel = pytest.importorskip("cel_expr_python.cel", reason="cel-expr-python is not installed")

ENVIRONMENT = cel.NewEnv(variables={"self": cel.Type.DYN, "old": cel.Type.DYN})
UNCHECKED = Declarations.unchecked("self", "old")
KIND = "BOOL"


def reference(text: str, values: dict[str, Any]) -> bool | str:
    try:
        program = ENVIRONMENT.compile(text, disable_check=True)
    except Exception:  # noqa: BLE001 -- the engine's own exception classes are not public
        return "does not compile"
    try:
        result = program.eval(data=values)
        if str(result.type().name()).upper() != KIND:
            return "an error"
        return bool(result.value())
    except Exception:  # noqa: BLE001
        return "an error"


def ours(text: str, values: dict[str, Any]) -> bool | str:
    try:
        program = compile_expression(text, UNCHECKED, profile="policy")
    except CelCompileError:
        return "does not compile"
    try:
        return program.evaluate_bool(values)
    except CelEvaluationError:
        return "an error"


def compare(text: str, values: dict[str, Any]) -> bool | str:
    expected, got = reference(text, values), ours(text, values)
    # A literal that makes one engine refuse early may make the other fail late.
    failures = {"does not compile", "an error"}
    assert got == expected or {got, expected} <= failures, f"{text} over {values}: {got} for {expected}"
    return got


QUICK = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(loose_booleans(), variables())
def test_operators_over_values_of_any_kind(text: str, values: dict[str, Any]) -> None:
    # The C++ engine calls a list or map sought in a map an error, cel-go does not; two-variable macros it lacks.
    # The C++ engine calls a list or map sought in a map an error and makes integers of booleans, cel-go does neither;
    # two-variable macros it lacks.
    assume(" in " not in text and "(x, y," not in text and "int(" not in text)
    compare(text, values)


@QUICK
@given(typed_booleans(), typed_variables())
def test_rules_whose_parts_fit_together(text: str, values: dict[str, Any]) -> None:
    compare(text, values)
