"""What a program tells: reads, explanations, values by schema type, sharing."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from stowplan.cel import CelEvaluationError, Declarations, Duration, Timestamp, UInt, compile_expression
from stowplan.cel.types import (
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    STRING,
    TIMESTAMP,
    ListType,
    MapType,
    NamedFields,
    ObjectField,
    ObjectType,
    Type,
    object_type,
)  # fmt: skip

from .samples import VARIABLES

DYNAMIC = Declarations.dynamic("self", "oldSelf")


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("self.a.b > 1 && has(self.c.d)", {("self", "a", "b"), ("self", "c", "d")}),
        ("self.a['x.y'].z == 1", {("self", "a", "x.y", "z")}),
        ("self.a[self.i].z == 1", {("self", "a"), ("self", "i")}),
        ("self.list.all(x, x.a == oldSelf.b)", {("self", "list"), ("oldSelf", "b")}),
        ("self.?a.?b.orValue(1) == 1 && self.m[?'k'].hasValue()", {("self", "a", "b"), ("self", "m", "k")}),
        ("self == oldSelf", {("self",), ("oldSelf",)}),
        ("[1].all(self, self == 1)", set()),
        ("(true ? self.a : self.b).c == 1", {("self", "a"), ("self", "b")}),
        ("self.a[0].b == 1", {("self", "a")}),
    ],
)
def test_reads(text: str, reads: set[tuple[str, ...]]) -> None:
    assert compile_expression(text, DYNAMIC).reads == reads


def test_explanation_shows_what_decided() -> None:
    text = "has(self.name) && self.ports.all(p, p.port < 100 || p.name == 'x')"
    explanation = compile_expression(text, DYNAMIC).explain(VARIABLES)
    assert explanation.value is False
    culprit = explanation.culprits()
    assert [c.text for c in culprit] == ["p.port < 100", "p.name == 'x'"]
    walked = [(depth, node.text, node.value) for depth, node in explanation.walk()]
    assert walked[0] == (0, text, False)
    assert (1, "has(self.name)", True) in walked
    assert (4, "p.port", 443) in walked
    loop = next(node for _, node in explanation.walk() if node.bindings)
    assert loop.bindings == (("p", {"name": "https", "port": 443}),)
    assert (loop.line, loop.column, loop.end_column) == (1, 37, 66)


def test_explanation_of_a_failure_names_the_error() -> None:
    explanation = compile_expression("self.absent > 1", DYNAMIC).explain(VARIABLES)
    assert explanation.error == "no such key: absent"
    assert [c.text for c in explanation.culprits()] == ["self.absent"]


def test_explanation_leaves_out_what_did_not_take_part() -> None:
    explanation = compile_expression("true || self.a.b.c", DYNAMIC).explain(VARIABLES)
    assert explanation.parts == () or all(part.value is not False for part in explanation.parts)
    chosen = compile_expression("self.replicas > 1 ? self.name : self.absent", DYNAMIC).explain(VARIABLES)
    assert [part.text for part in chosen.parts] == ["self.replicas > 1", "self.name"]


class EscapedFields(NamedFields):
    def field(self, name: str) -> ObjectField | None:
        found = super().field(name)
        return ObjectField(found.type, "namespace") if found and name == "__namespace__" else found


def typed(fields: dict[str, Type]) -> Declarations:
    kind = ObjectType("self", EscapedFields(fields))
    return Declarations({"self": kind, "oldSelf": kind})


def both(text: str, declarations: Declarations, **variables: Any) -> Any:
    program = compile_expression(text, declarations)
    fast = program.evaluate(variables)
    assert fast == program.evaluate_exactly(variables)
    return fast


def test_escaped_names_read_the_property() -> None:
    declarations = typed({"__namespace__": STRING})
    assert both("self.__namespace__ == 'a' && has(self.__namespace__)", declarations, self={"namespace": "a"}) is True
    assert compile_expression("self.__namespace__ == ''", declarations).reads == {("self", "namespace")}


def test_wire_values_by_type() -> None:
    declarations = typed(
        {"when": TIMESTAMP, "times": ListType(TIMESTAMP), "raw": BYTES, "ratio": DOUBLE, "wait": DURATION,
         "spans": MapType(STRING, DURATION)}
    )  # fmt: skip
    value = {"when": "2026-01-02T03:04:05Z", "times": ["2026-01-02T03:04:05Z"], "raw": "aGk=", "ratio": 2, "wait": "90s",
             "spans": {"a": "1m"}}  # fmt: skip
    for text in (
        "self.when.getFullYear() == 2026",
        "self.when == timestamp('2026-01-02T04:04:05+01:00')",
        "self.times[0] == self.when && self.when in self.times && self.times.max() == self.when",
        "self.times.all(t, t.getHours() == 3)",
        "self.raw == b'hi' && self.raw.size() == 2",
        "self.ratio / 4.0 == 0.5",
        "self.wait > duration('1m') && self.spans['a'] == duration('60s') && self.spans.all(k, v, v < self.wait)",
    ):
        assert both(text, declarations, self=value) is True
    with pytest.raises(CelEvaluationError, match="not base64"):
        both("self.raw == b''", declarations, self={"raw": "%"})


def test_sets_and_keyed_lists_compare_without_order() -> None:
    item = object_type("item", {"name": STRING, "value": INT})
    declarations = typed(
        {"tags": ListType(STRING, "set"), "items": ListType(item, "map", ("name",)), "plain": ListType(STRING),
         "inner": object_type("inner", {"tags": ListType(STRING, "set")})}
    )  # fmt: skip
    first: dict[str, Any] = {"tags": ["a", "b"], "plain": ["a", "b"], "inner": {"tags": ["a", "b"]},
             "items": [{"name": "x", "value": 1}, {"name": "y", "value": 2}]}  # fmt: skip
    second = {"tags": ["b", "a"], "plain": ["b", "a"], "inner": {"tags": ["b", "a"]}, "items": first["items"][::-1]}
    assert both("self.tags == oldSelf.tags && self.items == oldSelf.items", declarations, self=first, oldSelf=second)
    assert both("self.plain != oldSelf.plain", declarations, self=first, oldSelf=second)
    assert both("self.inner == oldSelf.inner", declarations, self=first, oldSelf=second)
    assert both("(self.tags + oldSelf.tags).size() == 2", declarations, self=first, oldSelf=second)
    changed = {**second, "items": [{"name": "x", "value": 5}]}
    assert both("(self.items + oldSelf.items)[0].value == 5", declarations, self=first, oldSelf=changed)
    assert both("self.items != oldSelf.items", declarations, self=first, oldSelf=changed)


def test_values_that_come_back_are_plain() -> None:
    assert type(both("dyn({true: [1u], false: [2u]})", DYNAMIC, self={})) is dict
    assert both("{true: 1}", DYNAMIC, self={}) == {True: 1}
    assert type(both("1u", DYNAMIC, self={})) is UInt
    assert both("duration('1s')", DYNAMIC, self={}) == Duration(1_000_000_000)
    assert str(both("timestamp(0)", DYNAMIC, self={})) == "1970-01-01T00:00:00Z"


def test_datetimes_are_timestamps() -> None:
    moment = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
    for text in (
        "self == timestamp('2026-01-02T00:00:00Z')",
        "self < timestamp('2027-01-01T00:00:00Z')",
        "self + duration('1s') > self",
        "self.getFullYear() == 2026",
        "type(self) == google.protobuf.Timestamp",
    ):
        assert both(text, DYNAMIC, self=moment) is True
    assert isinstance(both("timestamp(self)", DYNAMIC, self=moment), Timestamp)


def test_locals_shadow_variables_and_a_dot_reaches_them() -> None:
    assert both("[1].all(self, self == 1)", DYNAMIC, self=2) is True
    assert both("[1].all(self, .self == 2)", DYNAMIC, self=2) is True


def test_dotted_variables() -> None:
    declarations = Declarations({"a.b": MapType(STRING, INT), "a.b.c": INT})
    assert compile_expression("a.b.c == 1 && a.b.d == 2", declarations).evaluate({"a.b": {"d": 2}, "a.b.c": 1}) is True


def test_the_authorizer_is_known_but_cannot_be_asked() -> None:
    declarations = Declarations({"authorizer": Type("kubernetes.authorization.Authorizer")})
    text = "authorizer.group('apps').resource('deployments').namespace('a').check('get').allowed()"
    with pytest.raises(CelEvaluationError, match="inside an API server"):
        compile_expression(text, declarations).evaluate({"authorizer": object()})


def test_what_is_put_in_order_is_no_longer_a_set() -> None:
    kind = object_type("self", {"names": ListType(STRING, "set")})
    variables = {"self": {"names": ["bb", "a"]}}
    for text, wanted in {
        "self.names.sortBy(n, size(n)) == self.names": False,
        "self.names == self.names.sortBy(n, size(n))": True,
        "self.names.sortBy(n, -size(n)) == self.names": True,
    }.items():
        program = compile_expression(text, Declarations({"self": kind}))
        assert program.evaluate(variables) is program.evaluate_exactly(variables) is wanted, text
