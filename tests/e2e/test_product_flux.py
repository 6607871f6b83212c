"""Flux reconciles the rendered Kustomizations: in order, by health, without a second change, with guards, handing over."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from harness.bed import Bed
from harness.client import Object, condition, reference
from harness.flux import KUSTOMIZATION_API, NAMESPACE, Flux
from product.live import LiveFleet, live_fleet, versions, wait_argocd, wait_flux
from test_product_argocd import remove

from stowplan.model.rendered import RenderedObject

CLUSTER = "eu-west-l40s"
UNIT = f"clusters/{CLUSTER}/kueue"
NAME_LABEL = "kustomize.toolkit.fluxcd.io/name"


@pytest.fixture(scope="module")
def fleet(session_bed: Bed) -> LiveFleet:
    return live_fleet(session_bed)


@pytest.fixture
def edited(fleet: LiveFleet) -> Iterator[LiveFleet]:
    """The fleet, whose tree is put back afterwards."""
    yield fleet
    commit = fleet.publish()
    wait_flux(fleet, CLUSTER)
    wait_argocd(fleet, commit)


def flux(fleet: LiveFleet) -> Flux:
    return fleet.fluxes[CLUSTER]


def delivered_by_flux(fleet: LiveFleet) -> list[RenderedObject]:
    return [made for made in fleet.workspace.of_target(CLUSTER) if made.unit.target.folder != "gitops/flux"]


def test_every_kustomization_is_ready_and_healthy(fleet: LiveFleet) -> None:
    found = wait_flux(fleet, CLUSTER)
    assert len(found) >= 4
    for made in fleet.kustomizations(CLUSTER):
        stored = found[made.name]
        assert condition(stored, "Ready")["status"] == "True"
        if made.object["spec"]["wait"]:
            assert condition(stored, "Healthy")["status"] == "True"
    entries = sum(len(stored["status"]["inventory"]["entries"]) for stored in found.values())
    assert entries == len(delivered_by_flux(fleet))


def test_units_came_in_the_order_of_their_dependencies(fleet: LiveFleet) -> None:
    times: dict[str, list[datetime]] = {}
    for made in delivered_by_flux(fleet):
        times.setdefault(made.unit.name, []).append(datetime.fromisoformat(fleet.created[made.path]))
    checked = 0
    for made in fleet.kustomizations(CLUSTER):
        name = made.name.removeprefix(f"{CLUSTER}-")
        for needed in made.object["spec"].get("dependsOn", ()):
            before = needed["name"].removeprefix(f"{CLUSTER}-")
            assert max(times[before]) <= min(times[name]), f"{name} began before {before} was there"
            checked += 1
    assert checked >= 2


def test_a_second_reconciliation_changes_nothing(fleet: LiveFleet) -> None:
    objects = [made for made in delivered_by_flux(fleet) if made.kind not in ("ClusterQueue", "LocalQueue", "Cohort")]
    before = versions(fleet, objects)
    wait_flux(fleet, CLUSTER)
    after = versions(fleet, objects)
    assert [path for path in before if before[path] != after[path]] == []
    for made in delivered_by_flux(fleet):
        stored = fleet.client(CLUSTER).get(made.object)
        (entry,) = (one for one in stored["metadata"]["managedFields"] if one["manager"] == "kustomize-controller")
        assert entry["operation"] == "Apply"


def test_health_expressions_see_a_queue_that_does_not_turn_active(edited: LiveFleet) -> None:
    """A queue without its flavor is accepted and inactive: the unit must not become healthy."""
    name = f"{CLUSTER}-kueue"

    def edit(tree: Path) -> None:
        for file in (tree / UNIT).glob("clusterqueue-*.yaml"):
            file.write_text(file.read_text().replace("name: l40s", "name: absent"))

    unit = reference(KUSTOMIZATION_API, "Kustomization", name, NAMESPACE)
    quick = {"spec": {"timeout": "3s", "retryInterval": "5s"}}
    flux(edited).client.patch(unit, quick, manager="flux")
    try:
        edited.publish(edit)
        flux(edited).wake(name)
        told = flux(edited).client.wait_until(
            unit,
            lambda one: condition(one, "Healthy").get("status") == "False",
            what="the unit to be unhealthy",
        )
        assert "ClusterQueue" in condition(told, "Healthy")["message"]
    finally:
        edited.publish()
        flux(edited).wait_ready(name)
        rendered = next(made for made in edited.kustomizations(CLUSTER) if made.name == name)
        flux(edited).plane.client("kustomize-controller").apply(rendered.object, force=True)


def test_what_is_guarded_stays_and_the_rest_is_pruned(edited: LiveFleet) -> None:
    removed: list[Object] = []

    def edit(tree: Path) -> None:
        removed.extend(remove(tree, UNIT, "localqueue") + remove(tree, UNIT, "workloadpriorityclass"))

    edited.publish(edit)
    queue, priority = removed
    assert queue["metadata"]["annotations"]["kustomize.toolkit.fluxcd.io/prune"] == "disabled"
    flux(edited).wait_ready(f"{CLUSTER}-kueue")
    assert edited.client(CLUSTER).find(priority) is None
    assert edited.client(CLUSTER).find(queue) is not None


def test_a_unit_of_namespaces_prunes_nothing(edited: LiveFleet) -> None:
    removed: list[Object] = []
    edited.publish(lambda tree: removed.extend(remove(tree, f"clusters/{CLUSTER}/tenancy", "networkpolicy")))
    flux(edited).wait_ready(f"{CLUSTER}-tenancy")
    assert edited.client(CLUSTER).find(removed[0]) is not None


def test_an_object_moves_from_one_unit_to_another_without_going(edited: LiveFleet) -> None:
    """The new unit takes it over first; then the old one no longer owns what it would prune.

    As long as both render it they take it from each other: it may leave the old one when the new one was the last.
    """
    old, new = f"clusters/{CLUSTER}/component-gpu-alerts", UNIT
    made = next(one for one in delivered_by_flux(edited) if one.unit.name == "component-gpu-alerts")
    uid = edited.client(CLUSTER).get(made.object)["metadata"]["uid"]
    file = made.path.rpartition("/")[2]

    def adopt(tree: Path) -> None:
        shutil.copy(tree / old / file, tree / new / file)
        kustomization = tree / new / "kustomization.yaml"
        kustomization.write_text(kustomization.read_text() + f"- {file}\n")

    def move(tree: Path) -> None:
        adopt(tree)
        unit = tree / old / "kustomization.yaml"
        unit.write_text(unit.read_text().replace(f"- {file}\n", "").replace("resources:\n", "resources: []\n"))
        (tree / old / file).unlink()

    names = [f"{CLUSTER}-kueue", f"{CLUSTER}-component-gpu-alerts"]
    edited.publish(adopt)
    flux(edited).wait_ready(names[1])
    for _ in range(10):
        flux(edited).wait_ready(names[0])
        time.sleep(2)  # another run of the old unit may still be queued
        if edited.client(CLUSTER).get(made.object)["metadata"]["labels"][NAME_LABEL] == names[0]:
            break
    edited.publish(move)
    for name in names:
        flux(edited).wait_ready(name)
    stored = edited.client(CLUSTER).get(made.object)
    assert stored["metadata"]["uid"] == uid
    assert stored["metadata"]["labels"][NAME_LABEL] == names[0]


def test_a_missing_dependency_holds_a_unit_back(fleet: LiveFleet) -> None:
    """dependsOn of what is rendered is obeyed: a unit whose dependency is not ready is not applied."""
    assert fleet.workspace.done.fleet is not None
    held = flux(fleet).kustomization(
        "held",
        source=fleet.workspace.done.fleet.name,
        path=f"./rendered/{UNIT}",
        dependsOn=[{"name": "absent"}],
        prune=False,
    )
    flux(fleet).client.apply(held)
    try:
        told = flux(fleet).client.wait_until(
            held, lambda one: condition(one, "Ready").get("status") == "False", what="to be held back"
        )
        assert condition(told, "Ready")["reason"] == "DependencyNotReady"
    finally:
        flux(fleet).client.delete(held)
        flux(fleet).client.wait_until(held, lambda one: one is None)
