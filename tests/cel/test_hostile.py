"""Hostile expressions and values end soon, with an error and without much memory."""

from __future__ import annotations

import contextlib
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from stowplan.cel import CelBudgetError, CelCompileError, CelError, Declarations, compile_expression

pytestmark = pytest.mark.slow

SECONDS = 8.0 * (
    6 if sys.gettrace() is not None or "coverage" in sys.modules else 1
)  # a tracer costs several times as much
MEGABYTES = 200
DYNAMIC = Declarations.dynamic("self")
BIG = {"self": {"list": list(range(3000)), "text": "a" * 100_000, "texts": ["a" * 1000] * 300, "name": "x"}}

COMPILE = {
    "parentheses": "(" * 5000 + "1" + ")" * 5000,
    "brackets": "[" * 5000 + "]" * 5000,
    "open brackets": "[" * 50_000,
    "braces": "{1:" * 5000,
    "signs": "-" * 5000 + "self",
    "nots": "!" * 5000 + "self",
    "conditionals": "true ? 1 : " * 3000 + "1",
    "sums": "+".join(["self"] * 5000),
    "selections": "self" + ".a" * 5000,
    "subscripts": "self" + "[0]" * 5000,
    "macros": "self.all(x, " * 500 + "true" + ")" * 500,
    "calls": "size(" * 500 + "self" + ")" * 500,
    "long": "1 == 1 && " * 20_000 + "true",
    "digits": "1" * 50_000,
    "hexadecimal": "0x" + "f" * 50_000,
    "exponent": "1e" + "9" * 500 + "x",
    "pattern size": "self.matches('" + "(a|b)*" * 5000 + "')",
    "pattern repeats": "'a'.matches('((a{1,1000}){1,1000}){1,1000}')",
    "open text": "'" + "a" * 50_000,
    "null": "\x00",
    "surrogate": "'\ud800'.matches('\ud800')",
}

EVALUATE = {
    "loops": "self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))",
    "maps": "self.list.map(a, self.list.map(b, self.list.map(c, self.text + self.text))).size() > 0",
    "doubling": "cel.bind(a, self.text + self.text, cel.bind(b, a + a + a + a, cel.bind(c, b + b + b + b,"
    " cel.bind(d, c + c + c + c, cel.bind(e, d + d + d + d, e + e + e + e))))).size() > 0",
    "list doubling": "cel.bind(a, self.list + self.list, cel.bind(b, a + a + a + a, cel.bind(c, b + b + b + b,"
    " cel.bind(d, c + c + c + c, cel.bind(e, d + d + d + d, e + e))))).size() > 0",
    "replace": "self.text.replace('a', self.text).size() > 0",
    "replace nothing": "self.text.replace('', self.text).size() > 0",
    "join": "self.list.map(x, self.text).join(self.text).size() > 0",
    "format": "'%s%s%s%s'.format(self.list.map(x, self.text)).size() > 0 && self.list.all(x, '%s'.format([self.text]) != '')",
    "width": "'%.999999999f'.format([1.0]) == ''",
    "range": "lists.range(100000000).size() > 0",
    "range loop": "lists.range(1000000).map(x, 'abc' + string(x)).map(x, x + x).size() > 0",
    "sort": "self.list.all(x, self.list.sort().size() > 0)",
    "distinct": "self.list.map(x, self.list).distinct().size() > 0 && self.list.distinct().size() > 0",
    "sets": "self.list.all(x, sets.equivalent(self.list, self.list))",
    "equality": "self.list.all(x, self.list == self.list && self.texts == self.texts)",
    "membership": "self.list.all(x, -1 in self.list) || self.list.all(x, !(-1 in self.list))",
    "regex": "self.list.all(x, self.text.matches('(a|aa)+$'))",
    "regex exponential": "self.text.matches('(a+)+b') || self.text.matches('(a*)*b')",
    "regex dynamic": "self.list.all(x, self.text.matches('(a|aa)+' + string(x)) || true)",
    "find all": "self.list.all(x, self.text.findAll('a').size() > 0)",
    "quantity": "quantity('1e999999999').isInteger() || quantity('9e999').add(quantity('9e-999')).isInteger()",
    "digits": "int('" + "9" * 40_000 + "' + '') > 0",
    "split": "self.list.all(x, self.text.split('').size() > 0)",
    "query": "self.list.all(x, url('/?' + self.text).getQuery().size() >= 0)",
    "zone": "timestamp(0).getHours('../../../etc/passwd') == 0",
    "shared equality": "[[1]]" + ".map(x, [x, x])" * 60 + " == [[1]]" + ".map(x, [x, x])" * 60,
    "shared result": "[[1]]" + ".map(x, [x, x])" * 60,
    "shared member": "([[1]]" + ".map(x, [x, x])" * 40 + ")[0] in [[1]]" + ".map(x, [x, x])" * 40,
    "shared text": "'%s'.format([[1]" + ".map(x, [x, x])" * 60 + "])",
    "shared sets": "sets.equivalent([[1]]" + ".map(x, [x, x])" * 40 + ", [[1]]" + ".map(x, [x, x])" * 40 + ")",
    "transform": "self.list.transformList(i, v, self.text + string(v)).size() > 0",
}


def in_time(action: Callable[[], None]) -> None:
    started = time.process_time()
    action()
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("text", COMPILE.values(), ids=COMPILE)
def test_hostile_text(text: str) -> None:
    def action() -> None:
        with pytest.raises(CelCompileError):
            compile_expression(text, DYNAMIC)

    in_time(action)


@pytest.mark.parametrize("text", EVALUATE.values(), ids=EVALUATE)
def test_hostile_evaluation(text: str) -> None:
    def action() -> None:
        program = compile_expression(text, DYNAMIC, profile="policy")
        for evaluate in (program.evaluate, program.evaluate_exactly):
            with contextlib.suppress(CelError):
                evaluate(BIG)

    in_time(action)


@pytest.mark.parametrize(
    "name", ["maps", "doubling", "list doubling", "replace", "replace nothing", "join", "range loop", "transform"]
)
def test_memory_is_bounded(name: str) -> None:
    program = compile_expression(EVALUATE[name], DYNAMIC, profile="policy")
    tracemalloc.start()
    try:
        with pytest.raises(CelError):
            program.evaluate(BIG)
        assert tracemalloc.get_traced_memory()[1] < MEGABYTES * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["loops", "maps", "doubling", "list doubling", "join", "equality", "regex"])
def test_the_budget_stops_both_back_ends(name: str) -> None:
    program = compile_expression(EVALUATE[name], DYNAMIC, profile="policy")
    for evaluate in (program.evaluate, program.evaluate_exactly):
        with pytest.raises(CelBudgetError, match="budget") as caught:
            evaluate(BIG)
        assert caught.value.line == 1


def test_nothing_absorbs_an_exhausted_budget() -> None:
    text = f"true == false || {EVALUATE['loops']} || true"
    with pytest.raises(CelBudgetError):
        compile_expression(text, DYNAMIC).evaluate(BIG)


def test_deep_values_are_an_error() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    other: Any = []
    for _ in range(100_000):
        other = [other]
    program = compile_expression("self.a == self.b", DYNAMIC)
    with pytest.raises(CelError):
        program.evaluate({"self": {"a": deep, "b": other}})
    while deep:
        deep, other = deep[0], other[0]


def test_the_fallback_of_re2_refuses_what_could_run_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    from stowplan.cel.library import patterns

    monkeypatch.setattr(patterns, "_load", lambda: None)
    for text in ("(a+)+b", "(a*)*b", "((a|b)*c)*d", r"(a)\1", "(?=a)b", "a++", "(", "a*" * 30):
        with pytest.raises(CelError):
            patterns.Pattern(text)
    found = patterns.Pattern("^[a-z]([-a-z0-9]*[a-z0-9])?$")
    assert found.matches("gpu-a") and not found.matches("Gpu")
    with pytest.raises(CelError, match="10,000"):
        found.matches("a" * 20_000)
