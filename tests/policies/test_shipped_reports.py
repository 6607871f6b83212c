"""Each shipped guardrail reports its code and level where an object of a compile breaks it, and not where it is cured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from stowplan.diagnostics.model import Diagnostic
from stowplan.driver import Compilation, compile_workspace, template_set
from stowplan.policies.exemptions import read_exemptions
from stowplan.policies.guard import compile_guardrails, guard
from stowplan.policies.shipped import SHIPPED_CODES
from stowplan.rules.registry import REGISTRY
from stowplan.schemas import fleet_schemas, own_packs, schema_sets
from stowplan.source.files import SourceTree

sys.path.insert(0, str(Path(__file__).parents[1] / "kueue"))

from planting import remade

BASE = Path(__file__).parents[1] / "data" / "kueue"


@pytest.fixture(scope="module")
def done() -> Compilation:
    texts = {p.relative_to(BASE).as_posix(): p.read_text() for p in sorted(BASE.rglob("*")) if p.is_file()}
    return compile_workspace(SourceTree.from_texts(texts))


def reported(done: Compilation, objects: list[dict[str, Any]]) -> list[Diagnostic]:
    """What the guard says of the objects, planted among those of the compile."""
    assert done.fleet is not None and done.rendered is not None
    host = next(
        o for o in done.rendered.objects if o.path.endswith("component-own-north/configmap-kueue-system-settings.yaml")
    )
    schemas_for = fleet_schemas(done.fleet, own_packs(done.fleet, done.tree).value)
    guardrails = compile_guardrails(done.fleet, schema_sets(done.fleet, schemas_for)).value
    exemptions, _ = read_exemptions(done.fleet, guardrails.mandatory())
    planted = [remade(host, made) for made in objects]
    found = guard(
        done.fleet, (*done.rendered.objects, *planted), guardrails, exemptions, schemas_for, template_set(done.tree)
    )
    return list(found.diagnostics)


@pytest.mark.parametrize("name", SHIPPED_CODES)
def test_report(name: str, done: Compilation) -> None:
    page = REGISTRY.find(name)
    assert page is not None and page.rule.code == SHIPPED_CODES[name]
    wrong, right = (list(yaml.safe_load_all(page.blocks(section)[0].text)) for section in ("Example", "Use instead"))
    mine = [d for d in reported(done, wrong) if d.code == page.rule.code]
    assert mine and {d.severity for d in mine} == {page.rule.default.severity}
    assert all(d.targets == ("north",) and wrong[0]["metadata"]["name"] in d.message for d in mine)
    assert [d.message for d in reported(done, right) if d.code == page.rule.code] == []
