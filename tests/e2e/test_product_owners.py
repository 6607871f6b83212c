"""After engines, Kueue, operators and kube-controller-manager have acted: every owner is one that was foreseen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from harness.bed import Bed
from product.comparing import Predictor, changes, owner_differences, unforeseen_owners
from product.definitions import served_pack
from product.foresight import atlas_rows
from product.live import LiveFleet, delivered, live_fleet
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


def test_engines_own_exactly_what_was_predicted(fleet: LiveFleet, capsys: pytest.CaptureFixture[str]) -> None:
    predictors = {target: predictor_of(fleet, target) for target in fleet.planes}
    found, n_owned = [], 0
    for made, stored in stored_of(fleet):
        engine = made.unit.target.engine
        manager = ENGINE_MANAGERS[engine][0]
        differing = owner_differences(
            delivered(fleet, made), stored, manager, predictors[made.unit.target.name]
        )
        found += [f"{made.unit.target.name}: {made.reference}: {text}" for text in differing]
        n_owned += not differing
    with capsys.disabled():
        print(f"\n  live: {n_owned} of {len(fleet.workspace.objects)} objects owned by their engines as predicted")
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
