"""After engines, Kueue, operators and kube-controller-manager have acted: every owner is one that was foreseen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from harness.bed import Bed
from harness.client import reference
from harness.figures import Say
from product.comparing import Predictor, changes, owner_differences, unforeseen_owners
from product.definitions import served_pack
from product.foresight import atlas_rows
from product.live import LiveFleet, delivered, live_fleet
from product.workspaces import EXAMPLE, REPOSITORY, copy_workspace, stowplan

from stowplan.model.rendered import RenderedObject
from stowplan.ownership.atlas import Atlas, AtlasRow, load_atlas
from stowplan.ownership.rendered import ENGINE_MANAGERS
from stowplan.schema.sets import SchemaSet
from stowplan.schemas import shipped_packs

Rows = Mapping[str, tuple[AtlasRow, ...]]


@pytest.fixture(scope="module")
def fleet(session_bed: Bed) -> LiveFleet:
    return live_fleet(session_bed)


def predictor_of(fleet: LiveFleet, target: str) -> Predictor:
    return Predictor(SchemaSet((served_pack(fleet.client(target)), *shipped_packs()), 36))


def stored_of(fleet: LiveFleet) -> Iterator[tuple[RenderedObject, dict]]:
    for made in fleet.workspace.objects:
        yield made, fleet.client(made.unit.target.name).get(made.object)


def strangers(fleet: LiveFleet, rows: Rows) -> list[str]:
    """Every field owner that no atlas row foresaw."""
    return [
        f"{made.unit.target.name}: {made.reference}: {text}"
        for made, stored in stored_of(fleet)
        for text in unforeseen_owners(stored, made.unit.target.engine, rows[made.path])
    ]


def test_every_field_owner_was_foreseen_by_the_atlas(fleet: LiveFleet) -> None:
    found = strangers(fleet, atlas_rows(fleet.workspace))
    assert not found, "\n".join(found[:40])


def test_a_row_left_out_of_the_atlas_is_noticed(fleet: LiveFleet) -> None:
    """The test of the test above: without its row, Kueue's write is a stranger's."""
    left = Atlas(tuple(row for row in load_atlas().rows if row.id != "kueue-flavor-injection-job"))
    found = strangers(fleet, atlas_rows(fleet.workspace, left))
    assert any("kueue" in text and "spec.template.spec.nodeSelector" in text for text in found), found[:5]


def test_engines_own_exactly_what_was_predicted(fleet: LiveFleet, say: Say) -> None:
    predictors = {target: predictor_of(fleet, target) for target in fleet.planes}
    found, n_owned = [], 0
    for made, stored in stored_of(fleet):
        engine = made.unit.target.engine
        manager = ENGINE_MANAGERS[engine][0]
        differing = owner_differences(delivered(fleet, made), stored, manager, predictors[made.unit.target.name])
        found += [f"{made.unit.target.name}: {made.reference}: {text}" for text in differing]
        n_owned += not differing
    say(f"live: {n_owned} of {len(fleet.workspace.objects)} objects owned by their engines as predicted")
    assert not found, "\n".join(found[:40])


def test_live_values_are_the_rendered_ones_but_for_foreseen_writers(fleet: LiveFleet) -> None:
    rows = atlas_rows(fleet.workspace)
    predictors = {target: predictor_of(fleet, target) for target in fleet.planes}
    found = []
    for made, stored in stored_of(fleet):
        for change in changes(delivered(fleet, made), stored):
            predictor = predictors[made.unit.target.name]
            if not (change.added and predictor.foreseen(stored, change, rows[made.path])):
                found.append(f"{made.unit.target.name}: {made.reference}: {change}")
    assert not found, "\n".join(found[:40])


def test_a_wrong_row_in_the_atlas_is_noticed(fleet: LiveFleet) -> None:
    """The test of the tests: a row that names another writer does not account for what Kueue is seen to write."""
    wrong = tuple(
        replace(row, managers=("somebody-else",)) if row.id == "kueue-job-suspend" else row for row in load_atlas().rows
    )
    found = strangers(fleet, atlas_rows(fleet.workspace, Atlas(wrong)))
    assert any("kueue" in text and text.endswith(": spec.suspend") for text in found), found[:5]


def test_a_default_left_out_of_a_template_is_noticed(fleet: LiveFleet, tmp_path: Path) -> None:
    """The test of the tests: by the server, which stores what was not rendered, and by the compiler before it."""
    made = next(one for one in fleet.workspace.of_target("hub") if one.kind == "LocalQueue")
    rows = atlas_rows(fleet.workspace)[made.path]
    client, predictor = fleet.client("hub"), predictor_of(fleet, "hub")
    lacking = reference(made.api_version, made.kind, "lacking", made.namespace or "")
    lacking["spec"] = {key: value for key, value in made.object["spec"].items() if key != "stopPolicy"}
    stored = client.apply(lacking, dry_run=True).object
    found = [one for one in changes(lacking, stored) if not (one.added and predictor.foreseen(stored, one, rows))]
    assert [".".join(map(str, one.path)) for one in found] == ["spec.stopPolicy"]

    root = copy_workspace(EXAMPLE, tmp_path / "workspace")
    template = REPOSITORY / "templates" / "kueue" / "localqueue.yaml.j2"
    text = template.read_text()
    lines = [line for line in text.splitlines(keepends=True) if "stopPolicy" not in line]
    assert len(lines) < len(text.splitlines())
    (root / "templates" / "kueue").mkdir(parents=True)
    (root / "templates" / "kueue" / "localqueue.yaml.j2").write_text("".join(lines))
    told = stowplan(root, "compile", "--quiet", code=1).stderr
    assert "is no fixed point" in told
    assert "/spec/stopPolicy" in told or "spec.stopPolicy" in told
