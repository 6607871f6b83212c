"""The two back ends agree; generated code stays within its names; nothing else than our errors comes out."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stowplan.cel import (
    CelCompileError,
    CelError,
    CelEvaluationError,
    Declarations,
    Duration,
    OptionalValue,
    Timestamp,
    compile_expression,
)  # fmt: skip
from stowplan.cel.checker import Checker
from stowplan.cel.generator import NotGeneratable, generate_source
from stowplan.cel.parser import parse
from stowplan.cel.runtime import NAMES
from stowplan.cel.text import ExpressionText

from .generated import expressions, typed_booleans, typed_variables, variables

UNCHECKED = Declarations.unchecked("self", "old")
DYNAMIC = Declarations.dynamic("self", "old")
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def outcome(evaluate: Any, values: dict[str, Any]) -> Any:
    try:
        return shape(evaluate(values))
    except CelEvaluationError:
        return "an error"


def shape(value: Any) -> Any:
    """A value with its types, comparable by `==` even where Python mixes kinds."""
    if isinstance(value, list):
        return ("list", [shape(item) for item in value])
    if isinstance(value, dict):
        return ("map", {(type(k).__name__, str(k)): shape(v) for k, v in value.items()})
    if isinstance(value, OptionalValue):
        return ("optional", value.present, shape(value.value))
    if isinstance(value, Duration | Timestamp):
        return (type(value).__name__, value.nanoseconds)
    return (type(value).__name__, repr(value))


@QUICK
@given(expressions(), variables(), st.sampled_from([UNCHECKED, DYNAMIC]))
def test_both_back_ends_agree(text: str, values: dict[str, Any], declarations: Declarations) -> None:
    try:
        program = compile_expression(text, declarations, profile="policy")
    except CelCompileError as error:
        assert all(p.line >= 1 and p.column >= 1 for p in error.problems)
        return
    assert outcome(program.evaluate, values) == outcome(program.evaluate_exactly, values)
    explanation = program.explain(values)
    if explanation.error is None:
        assert shape(explanation.value) == outcome(program.evaluate_exactly, values)


@QUICK
@given(typed_booleans(), typed_variables())
def test_both_back_ends_agree_on_rules(text: str, values: dict[str, Any]) -> None:
    try:
        program = compile_expression(text, DYNAMIC)
    except CelCompileError:
        return
    assert outcome(program.evaluate, values) == outcome(program.evaluate_exactly, values)


@QUICK
@given(expressions(), variables())
def test_errors_have_a_place(text: str, values: dict[str, Any]) -> None:
    try:
        compile_expression(text, UNCHECKED, profile="policy").evaluate(values)
    except CelEvaluationError as error:
        assert error.line == 1 and 1 <= error.column <= len(text) + 1


NAME = re.compile(r"(?:[kVv][0-9]+|E|m|run|exact|place|Budget|error)\Z")
ALLOWED_CALLED = set(NAMES) - {"__builtins__"}


def names_of(code: str) -> set[str]:
    tree = ast.parse(code)
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert attributes <= {"present"}
    assert not any(isinstance(node, ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal) for node in ast.walk(tree))
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


HOSTILE_TEXT = st.one_of(
    st.text(max_size=12),
    st.sampled_from([
        "__import__('os').system('x')", "\n import os", "'; import os; '", "\\", "\\'", '"""', "'''", "\x00", "\ud800", "{x}", "#",
        "E[0]", "k0", "exact", "__builtins__", "\u2028", "\r",
    ]),
)  # fmt: skip


def literal(text: str) -> str:
    """A CEL string literal for any text."""
    return "'" + "".join(f"\\U{ord(c):08x}" for c in text if not 0xD800 <= ord(c) <= 0xDFFF) + "'"


@QUICK
@given(expressions(), HOSTILE_TEXT, HOSTILE_TEXT)
def test_generated_code_keeps_to_its_names(text: str, first: str, second: str) -> None:
    name = re.sub(r"[^A-Za-z0-9_]", "_", f"z{second}")
    whole = f"({text}) == {literal(first)} || self.{name} == self[{literal(second)}] || [1].all({name}, {name} == {literal(first)})"
    source = ExpressionText(whole)
    try:
        root = parse(source)
        code, namespace = generate_source(root, Checker(source, UNCHECKED, 36, "policy").check(root, None))
    except (CelError, NotGeneratable):
        return
    unknown = {n for n in names_of(code) if not NAME.match(n) and n not in ALLOWED_CALLED}
    assert unknown == set()
    assert namespace["__builtins__"] == {}
    assert not any(value in vars(builtins).values() and callable(value) and key.startswith("k")
                   for key, value in namespace.items() if key.startswith("k"))  # fmt: skip


@QUICK
@given(st.text(alphabet="ab.x?:|&!=<>+-*/%()[]{},'\"\\`10eEuUrRbB \n#_$", max_size=30))
def test_any_text_gives_a_program_or_problems(text: str) -> None:
    try:
        compile_expression(text, DYNAMIC, profile="policy")
    except CelCompileError as error:
        assert error.problems


@QUICK
@given(HOSTILE_TEXT)
def test_string_literals_come_back_as_they_were(text: str) -> None:
    wanted = "".join(c for c in text if not 0xD800 <= ord(c) <= 0xDFFF)
    program = compile_expression(literal(text), DYNAMIC)
    assert program.evaluate({}) == wanted
    assert compile_expression(f"self[{literal(text)}] == 1", DYNAMIC).evaluate({"self": {wanted: 1}}) is True


@pytest.mark.parametrize("name", ["__class__", "__globals__", "__init__", "__builtins__", "mro", "exact", "place"])
def test_python_attributes_cannot_be_reached(name: str) -> None:
    for text in (f"self.{name} == 1", f"self.a.{name} == 1", f"has(self.{name}.x)", f"'x'.{name} == 1"):
        program = compile_expression(text, UNCHECKED)
        for evaluate in (program.evaluate, program.evaluate_exactly):
            with pytest.raises(CelEvaluationError):
                evaluate({"self": {"a": "text"}})
