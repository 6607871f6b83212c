"""kustomize builds every unit of the repository's rendered tree to exactly the objects in its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from harness.kustomize import kustomize_build

RENDERED = Path(__file__).parent.parent.parent / "rendered"
UNITS = sorted(p.parent for p in RENDERED.rglob("kustomization.yaml"))

pytestmark = pytest.mark.e2e


def test_there_are_units() -> None:
    assert len(UNITS) > 20


def test_every_unit_builds_to_what_is_in_its_folder() -> None:
    for unit in UNITS:
        files = [p for p in unit.glob("*.yaml") if p.name != "kustomization.yaml"]
        wanted = sorted(json.dumps(yaml.safe_load(p.read_text()), sort_keys=True) for p in files)
        assert sorted(json.dumps(made, sort_keys=True) for made in kustomize_build(unit)) == wanted, unit
