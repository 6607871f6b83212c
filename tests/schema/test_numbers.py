"""Numbers as they are written back, formats of times, shapes whose version is filled in, and packs that are added to."""

from __future__ import annotations

from typing import Any

import pytest
from tests_schema_samples import widget_crd

from stowplan.schema.building.custom_pack import build_pack
from stowplan.schema.crd import PackBuilder
from stowplan.schema.custom import CustomKind
from stowplan.schema.formats import checker
from stowplan.schema.numbers import whole_number
from stowplan.schema.pack import read_pack, write_pack
from stowplan.schema.sets import SchemaSet
from stowplan.templates.shape import Hole, Shape


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1.0, 1),
        (-0.0, 0),
        (1.5, 1.5),
        (2**63, 9223372036854776000),
        (float(2**63), 9223372036854776000),
        (1e21, 1e21),
        (10**400, 10**400),
    ],
)
def test_whole_numbers(value: float, written: float) -> None:
    found = whole_number(value)
    assert (found, type(found)) == (written, type(written))


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("2026-01-02T03:04:05Z", True),
        ("2026-01-02t03:04:05z", True),
        ("2026-01-02T03:04:05,5Z", True),
        ("2026-01-02T03:04:05", False),
        ("", False),
        ("2026-02-30T00:00:00Z", False),
    ],
)
def test_times(text: str, good: bool) -> None:
    check = checker("date-time")
    assert check is not None
    assert check(text) is good


def widget() -> PackBuilder:
    builder = PackBuilder(rules=False)
    assert builder.add(widget_crd()) == ()
    return builder


def test_a_version_may_be_a_hole() -> None:
    kind = SchemaSet((widget().pack(),), 36).kind("example.org/v1", "Widget")
    assert isinstance(kind, CustomKind)
    spec: dict[str, Any] = {"size": Hole(1)}
    tree: Any = {"apiVersion": Hole(0), "kind": "Widget", "metadata": {"name": "one"}, "spec": spec}
    check = kind.specialise(Shape(tree, 2))
    assert check.sound
    good, bad = ["example.org/v1", 3], ["example.org/v2", 3]
    assert check.check(good) == ()
    assert check.check(["example.org/v1", "x"]) != ()
    assert check.check(bad) == kind.judge({**tree, "apiVersion": bad[0], "spec": {"size": 3}}).errors


def test_adding_to_a_pack_keeps_what_is_there() -> None:
    builder = widget()
    before = read_pack(write_pack(builder.kinds, builder.nodes, builder.sources))
    data, problems = build_pack([], before)
    after = read_pack(data)
    assert (problems, after.kinds, len(after.pool)) == ([], before.kinds, len(before.pool))
