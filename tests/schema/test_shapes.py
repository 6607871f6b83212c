"""A shape's check says of every filling what the full walk says of the object."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests_schema_samples import widget_crd

from stowplan.schema.crd import PackBuilder
from stowplan.schema.custom import CustomKind
from stowplan.schema.sets import SchemaSet
from stowplan.templates.shape import Hole, Joined, Shape


def widget() -> CustomKind:
    builder = PackBuilder()
    assert builder.add(widget_crd()) == ()
    kind = SchemaSet((builder.pack(),), 36).kind("example.org/v1", "Widget")
    assert isinstance(kind, CustomKind)
    return kind


KIND = widget()


def shape(spec: dict[str, Any], holes: int, metadata: dict[str, Any] | None = None) -> Shape:
    tree: Any = {
        "apiVersion": "example.org/v1",
        "kind": "Widget",
        "metadata": metadata or {"name": "one"},
        "spec": spec,
    }
    return Shape(tree, holes)


TREE = shape(
    {
        "size": Hole(0),
        "mode": Hole(1),
        "note": Joined(("n-", Hole(2))),
        "share": Hole(3),
        "ports": [{"name": Hole(4), "port": 80}, {"name": "metrics", "port": Hole(5)}],
        "tags": [Hole(6), "fixed"],
        "selector": Hole(7),
        "free": {"anything": Hole(8)},
    },
    10,
    {"name": Joined(("job-", Hole(9))), "labels": {"team": Hole(1)}, "annotations": {"example.org/note": Hole(2)}},
)
GOOD = [3, "Fast", "x", "50%", "http", 9090, "a", {"zone": "z1"}, [1, None], "alpha"]


def test_a_good_filling_costs_no_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    check = KIND.specialise(TREE)
    assert check.sound
    first = check.check(GOOD)
    assert first == ()
    monkeypatch.setattr(CustomKind, "judge", lambda *_a, **_k: pytest.fail("the full walk ran"))
    assert check.check(GOOD) is first


def test_rules_without_holes_are_folded() -> None:
    check: Any = KIND.specialise(shape({"size": 1, "low": 1, "high": 2, "note": Hole(0)}, 1))
    assert check.sound
    assert check.folded >= 1


def test_a_broken_static_part_is_not_sound() -> None:
    check = KIND.specialise(shape({"size": 1, "low": 3, "high": 2, "note": Hole(0)}, 1))
    assert not check.sound
    assert check.check(["x"]) == KIND.judge(
        {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "one"},
         "spec": {"size": 1, "low": 3, "high": 2, "note": "x"}}
    ).errors  # fmt: skip


def test_defaults_are_filled_in_and_the_result_is_a_fixed_point() -> None:
    check: Any = KIND.specialise(TREE)
    settled = Shape(check.tree, TREE.n_holes)
    built = settled.build(check.settle(GOOD))
    assert built == KIND.normalise(TREE.build(GOOD))
    assert KIND.normalise(built) == built


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-3, 12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["Fast", "Slow", "", "a", "fixed", "http", "metrics", "50%", "10", "UPPER", "x" * 70, "é"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["zone", "a", "size"]), inner, max_size=3)
    ),
    max_leaves=6,
)
TEXTS = st.one_of(st.text(max_size=4), st.sampled_from(["a", "A", "a b", "x" * 70]), st.integers(-9, 99), st.booleans())


@st.composite
def fillings(draw: st.DrawFn) -> list[Any]:
    values: list[Any] = list(GOOD)
    for index in draw(st.sets(st.integers(0, 9), max_size=3)):
        values[index] = draw(TEXTS if index in (2, 9) else VALUES)
    return values


@settings(max_examples=300, deadline=None)
@given(fillings())
def test_shapes_agree_with_the_full_walk(values: list[Any]) -> None:
    check = KIND.specialise(TREE)
    assert check.check(values) == KIND.judge(TREE.build(values)).errors
    frozen = [MappingProxyType(v) if type(v) is dict else tuple(v) if type(v) is list else v for v in values]
    assert check.check(frozen) == KIND.judge(TREE.build(values)).errors


SETTLED = Shape(KIND.specialise(TREE).tree, TREE.n_holes)


@settings(max_examples=300, deadline=None)
@given(fillings())
def test_shapes_know_fixed_points(values: list[Any]) -> None:
    check = KIND.specialise(SETTLED)
    built = SETTLED.build(values)
    assert check.is_fixed_point(values) == (KIND.normalise(built) == built)
    check.check(values)
    assert check.is_fixed_point(values) == (KIND.normalise(built) == built)


def test_a_shape_that_is_settled_is_a_fixed_point_for_good_values() -> None:
    assert KIND.specialise(SETTLED).is_fixed_point(GOOD)
    assert not KIND.specialise(TREE).is_fixed_point(GOOD)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=6), VALUES)
def test_keys_with_holes(key: str, value: Any) -> None:
    tree = shape({"size": 1, "selector": {Joined(("k", Hole(0))): Hole(1), "zone": "z"}}, 2)
    check = KIND.specialise(tree)
    assert check.check([key, value]) == KIND.judge(tree.build([key, value])).errors
