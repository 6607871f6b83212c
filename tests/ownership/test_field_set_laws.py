"""Field sets: the laws of their algebra, their wire form, and sets computed from objects."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowplan.ownership.extract import field_set, owned_set, shape_errors
from stowplan.ownership.fieldpath import PathSyntaxError, field, format_path, index, item, value
from stowplan.ownership.fieldset import EMPTY, FieldSet
from stowplan.ownership.typefacts import StructuralTypes, untyped

ELEMENTS = st.one_of(
    st.sampled_from(["a", "b", "c.d/e", ""]).map(field),
    st.sampled_from(["x", "y"]).map(lambda name: item({"name": name})),
    st.sampled_from([1, 1.5, "s", True, None]).map(value),
    st.integers(0, 2).map(index),
)
PATHS = st.lists(ELEMENTS, min_size=1, max_size=4).map(tuple)
SETS = st.lists(PATHS, max_size=12).map(FieldSet.of)


@given(SETS, SETS, SETS)
def test_union_and_intersection_are_lattice_operations(a: FieldSet, b: FieldSet, c: FieldSet) -> None:
    assert a.union(b) == b.union(a)
    assert a.intersection(b) == b.intersection(a)
    assert a.union(b).union(c) == a.union(b.union(c))
    assert a.intersection(b).intersection(c) == a.intersection(b.intersection(c))
    assert a.union(a) == a == a.intersection(a)
    assert a.union(a.intersection(b)) == a == a.intersection(a.union(b))
    assert a.intersection(b.union(c)) == a.intersection(b).union(a.intersection(c))


@given(SETS, SETS)
def test_difference_takes_out_exactly_what_is_shared(a: FieldSet, b: FieldSet) -> None:
    rest = a.difference(b)
    assert set(rest) == set(a) - set(b)
    assert rest.union(a.intersection(b)) == a
    assert rest.intersection(b) == EMPTY
    assert len(a) == len(rest) + len(a.intersection(b))


@given(SETS, SETS)
def test_recursive_difference_takes_out_what_lies_below_too(a: FieldSet, b: FieldSet) -> None:
    taken = set(b)
    wanted = {path for path in a if not any(path[:n] in taken for n in range(1, len(path) + 1))}
    assert set(a.recursive_difference(b)) == wanted


@given(SETS)
def test_the_wire_form_is_read_back(a: FieldSet) -> None:
    assert FieldSet.from_wire(a.to_wire()) == a
    assert FieldSet.from_wire(a.to_wire()).to_wire() == a.to_wire()
    assert hash(FieldSet.from_wire(a.to_wire())) == hash(a)


@given(SETS)
def test_leaves_are_the_paths_with_none_below(a: FieldSet) -> None:
    paths = set(a)
    wanted = {p for p in paths if not any(q[: len(p)] == p and q != p for q in paths)}
    assert set(a.leaves()) == wanted
    assert all(path in a for path in paths)
    assert bool(a) is not a.is_empty()


@pytest.mark.parametrize(
    "data", [[], {"f": {}}, {"": {}}, {"i:x": {}}, {"k:[]": {}}, {"v:{": {}}, {"f:a": 1}, {"k:x": {}}]
)
def test_what_is_no_field_set_is_refused(data: Any) -> None:
    with pytest.raises(PathSyntaxError):
        FieldSet.from_wire(data)


def test_hostile_depth_is_refused() -> None:
    data: dict[str, Any] = {}
    for _ in range(5000):
        data = {"f:a": data}
    with pytest.raises(PathSyntaxError, match="nests deeper"):
        FieldSet.from_wire(data)


def test_true_and_one_are_two_values_and_one_point_zero_is_one() -> None:
    assert value(True) != value(1)
    assert value(1) == value(1.0)


TYPES = StructuralTypes(
    {
        "text": {"scalar": "string"},
        "port": {
            "map": {
                "rel": "separable",
                "fields": {"port": {"scalar": "numeric"}, "protocol": {"type": "text", "default": "TCP"}},
            }
        },
        "root": {
            "map": {
                "rel": "separable",
                "fields": {
                    "kind": "text",
                    "ports": {"list": {"rel": "associative", "keys": ["port", "protocol"], "elem": "port"}},
                    "args": {"list": {"rel": "atomic", "elem": "text"}},
                    "names": {"list": {"rel": "associative", "elem": "text"}},
                    "labels": {"map": {"rel": "separable", "elem": "text"}},
                    "selector": {"map": {"rel": "atomic", "elem": "text"}},
                },
            }
        },
    }
)


@pytest.mark.parametrize(
    ("data", "paths"),
    [
        ({"labels": {"a": "b"}}, ["labels.a"]),
        ({"labels": {}}, ["labels"]),
        ({"labels": None}, ["labels"]),
        ({"args": ["x"]}, ["args"]),
        ({"names": []}, []),
        ({"names": ["x"]}, ["names[=x]"]),
        ({"selector": {"a": "b"}}, ["selector"]),
        ({"ports": [{"port": 80}]}, ["ports[port=80,protocol=TCP]", "ports[port=80,protocol=TCP].port"]),
        ({"ports": [{"port": 80}, {"port": 80, "protocol": "TCP"}]}, ["ports[port=80,protocol=TCP]"]),
    ],
)
def test_units_follow_the_type(data: dict[str, Any], paths: list[str]) -> None:
    assert [format_path(p) for p in field_set({"kind": "K", **data}, TYPES.root("root"))] == ["kind", *paths] or sorted(
        format_path(p) for p in field_set(data, TYPES.root("root"))
    ) == sorted(paths)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({"ports": [{"port": 80}, {"port": 80}]}, ".ports: duplicate entries for key [port=80,protocol=TCP]"),
        ({"colour": "red"}, ".colour: field not declared in schema"),
        ({"labels": {"a": 1}}, ".labels.a: expected string, got int"),
        ({"names": [None]}, "explicit null"),
        ({"names": [{}]}, "map type"),
        ({"names": [[]]}, "lists as elements"),
        ({"ports": [3]}, "non-map elements"),
        ({"ports": [None]}, "null element"),
        ({"args": {}}, ".args: expected list, got dict"),
    ],
)
def test_what_keeps_a_server_from_computing_ownership(data: dict[str, Any], complaint: str) -> None:
    assert any(complaint in error for error in shape_errors(data, TYPES.root("root")))


def test_identity_is_owned_by_nobody() -> None:
    data = {
        "apiVersion": "v1",
        "kind": "X",
        "metadata": {"name": "n", "uid": "u", "labels": {"a": "b"}},
        "spec": {"x": [1]},
    }
    assert [format_path(p) for p in owned_set(data, untyped())] == ["metadata.labels.a", "spec", "spec.x"]
