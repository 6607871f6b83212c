"""Levels of rules: what a user may choose, and what becomes of findings."""

from __future__ import annotations

import pytest

from stowplan.diagnostics.model import Severity, error, warning
from stowplan.rules.levels import apply_levels, read_levels
from stowplan.rules.model import Level
from stowplan.source.span import Origin

AT = Origin("policies/levels.yaml", 0, ("spec", "levels"))


@pytest.mark.parametrize(
    ("chosen", "levels", "codes"),
    [
        ({"SP0105": "off"}, {"SP0105": Level.OFF}, []),
        ({"unused-suppression": "error"}, {"SP0105": Level.ERROR}, []),
        ({"unused-supression": "error"}, {}, ["SP0091"]),
        ({"SP0105": "fatal"}, {}, ["SP0092"]),
        ({"invalid-yaml": "off"}, {}, ["SP0093"]),
        ({"invalid-yaml": "error"}, None, []),
        ({"nope": "off", "SP0105": "x", "SP0101": "off"}, {}, ["SP0091", "SP0092", "SP0093"]),
    ],
)
def test_read_levels(chosen: dict[str, str], levels: dict[str, Level] | None, codes: list[str]) -> None:
    outcome = read_levels(chosen, AT)
    assert [d.code for d in outcome.diagnostics] == codes
    assert outcome.value == ({"SP0101": Level.ERROR} if levels is None else levels)
    for diagnostic in outcome.diagnostics:
        assert isinstance(diagnostic.primary.at, Origin) and diagnostic.primary.at.pointer[:2] == ("spec", "levels")


def test_read_levels__points_at_the_key_for_a_name_and_at_the_value_for_a_level() -> None:
    unknown, level = read_levels({"nope": "off", "SP0105": "fatal"}, AT).diagnostics
    assert unknown.primary.at == (AT / "nope").key()
    assert level.primary.at == AT / "SP0105"


def test_apply_levels() -> None:
    given = (warning("SP0105", "a"), error("SP0201", "b"), warning("SP0401", "c"))
    levels = {"SP0105": Level.OFF, "SP0401": Level.ERROR}
    kept = apply_levels(given, levels)
    assert [(d.code, d.severity) for d in kept] == [("SP0201", Severity.ERROR), ("SP0401", Severity.ERROR)]
    assert kept[0] is given[1]
    assert apply_levels(given, {"SP0201": Level.NOTE})[1].severity is Severity.NOTE
