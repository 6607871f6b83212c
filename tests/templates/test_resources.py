"""What ships with the program is found in a checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from stowplan.resources import builtin_folder, builtin_templates
from stowplan.source.faults import EnvironmentFault
from stowplan.templates.engine import TemplateSet


def test_builtin_folder__the_top_level_of_the_checkout() -> None:
    assert builtin_folder("templates") == Path(__file__).resolve().parents[2] / "templates"
    with pytest.raises(EnvironmentFault, match="nosuch"):
        builtin_folder("nosuch")


def test_builtin_templates__every_one_compiles_in_both_environments() -> None:
    sources = builtin_templates()
    for sandboxed in ((), tuple(sources)):
        templates = TemplateSet(sources, sandboxed=sandboxed)
        assert [found for name in templates.names for found in templates.check(name)] == []
