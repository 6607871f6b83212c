"""Everything that is rendered, applied to real API servers: accepted, stored as rendered, owned as predicted, settled."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from harness.bed import Bed
from harness.client import Client, reference
from harness.control_plane import ControlPlane
from harness.crds import install_crds
from harness.figures import Say
from product.comparing import Predictor
from product.definitions import KUEUE_GROUP, Kind, definitions, frameworks, group_of, served_pack
from product.foresight import atlas_rows
from product.settling import Settler, Tally, clear
from product.workspaces import EXAMPLE, REPOSITORY, Workspace, compile_copy, copy_workspace

from stowplan.ownership.rendered import ENGINE_MANAGERS
from stowplan.schema.sets import SchemaSet
from stowplan.schemas import shipped_packs

GIVEN_NAMESPACES = ("argocd", "flux-system", "kueue-system")
"""Namespaces that come with the components' own installation; further ones are there where an inventory says so."""


@dataclass(frozen=True)
class Cluster:
    """One API server to be: a workspace's target, the kinds it must serve, and whether Kueue runs there."""

    workspace: Workspace
    target: str

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset((made.api_version, made.kind) for made in self.workspace.of_target(self.target))

    @property
    def flavour(self) -> tuple[frozenset[str], bool]:
        """Clusters of equal flavour can be played by one server: the CRDs they need, and Kueue."""
        needed, _ = definitions(self.kinds)
        return frozenset(one["metadata"]["name"] for one in needed), self.has_kueue

    @property
    def found_namespaces(self) -> tuple[str, ...]:
        """Namespaces that the inventory found in the cluster."""
        assert self.workspace.done.fleet is not None
        cluster = self.workspace.done.fleet.clusters.get(self.target)
        observed = None if cluster is None else cluster.observed
        return () if observed is None else tuple(one.name for one in observed.namespaces)

    @property
    def has_kueue(self) -> bool:
        return any(group_of(api_version) == KUEUE_GROUP for api_version, _ in self.kinds)


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Workspace]:
    sources = {"own": REPOSITORY, "example": EXAMPLE}
    return {
        name: compile_copy(name, copy_workspace(source, tmp_path_factory.mktemp(name)))
        for name, source in sources.items()
    }


@pytest.fixture(scope="module")
def tallies(workspaces: dict[str, Workspace], module_bed: Bed) -> dict[str, Tally]:
    """The outcome for every target of both workspaces."""
    flavours: dict[tuple[frozenset[str], bool], list[Cluster]] = {}
    for workspace in workspaces.values():
        for target in workspace.targets:
            cluster = Cluster(workspace, target)
            flavours.setdefault(cluster.flavour, []).append(cluster)
    names = [f"flavour-{number}" for number in range(len(flavours))]
    planes = module_bed.planes(*names)
    clients = [planes[name].client() for name in names]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda *given: _prepare(module_bed, *given), planes.values(), flavours.values()))
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(_settle_in_turn, clients, flavours.values())
    return {tally.target: tally for tallies in found for tally in tallies}


def _prepare(bed: Bed, plane: ControlPlane, clusters: list[Cluster]) -> None:
    """Install what the clusters of one flavour have besides what is rendered."""
    client = plane.client()
    documents = definitions(clusters[0].kinds)[0]
    install_crds(client, documents)
    for namespace in GIVEN_NAMESPACES:
        client.apply(reference("v1", "Namespace", namespace))
    if clusters[0].has_kueue:
        bed.kueue(plane, frameworks=frameworks(documents))


def _settle_in_turn(client: Client, clusters: list[Cluster]) -> list[Tally]:
    tallies = []
    for number, cluster in enumerate(clusters):
        if number:
            clear(
                client, [made.object for made in clusters[number - 1].workspace.of_target(clusters[number - 1].target)]
            )
        tallies.append(_settle(client, cluster))
    return tallies


def _settle(client: Client, cluster: Cluster) -> Tally:
    tally = Tally(f"{cluster.workspace.name}/{cluster.target}")
    predictor = Predictor(SchemaSet((served_pack(client), *shipped_packs()), 36))
    rows = atlas_rows(cluster.workspace)
    uncovered: dict[str, None] = {}
    for namespace in cluster.found_namespaces:
        if client.find(reference("v1", "Namespace", namespace)) is None:
            client.create(reference("v1", "Namespace", namespace))
    for made in cluster.workspace.of_target(cluster.target):
        if not client.discovery.served(made.api_version, made.kind):
            uncovered[f"{made.api_version} {made.kind}"] = None
            continue
        engine = made.unit.target.engine
        settler = Settler(client, ENGINE_MANAGERS[engine][0], engine, predictor)
        settler.settle(tally, cluster.workspace.plain(made), rows[made.path])
    tally.uncovered = list(uncovered)
    return tally


def _report(faults: Iterator[str]) -> str:
    listed = list(faults)
    return f"{len(listed)} faults:\n" + "\n".join(listed[:60]) if listed else ""


def test_every_object_is_accepted_without_a_warning(tallies: dict[str, Tally]) -> None:
    marks = (": refused: ", ": warned: ")
    found = _report(fault for tally in tallies.values() for fault in tally.faults if any(m in fault for m in marks))
    assert not found, found


def test_every_object_is_stored_as_it_was_rendered(tallies: dict[str, Tally]) -> None:
    found = _report(fault for tally in tallies.values() for fault in tally.faults if ": rendered " in fault)
    assert not found, found


def test_a_second_apply_changes_nothing(tallies: dict[str, Tally]) -> None:
    found = _report(fault for tally in tallies.values() for fault in tally.faults if ": a second apply" in fault)
    assert not found, found


def test_every_object_is_owned_as_predicted(tallies: dict[str, Tally]) -> None:
    found = _report(fault for tally in tallies.values() for fault in tally.faults if ": owner: " in fault)
    assert not found, found


def test_nothing_was_passed_over(workspaces: dict[str, Workspace], tallies: dict[str, Tally], say: Say) -> None:
    """Every rendered object went to a server; kinds that no server can serve are named."""
    rendered = sum(len(workspace.objects) for workspace in workspaces.values())
    uncovered = sorted({kind for tally in tallies.values() for kind in tally.uncovered})
    skipped = sum(
        f"{made.api_version} {made.kind}" in uncovered
        for workspace in workspaces.values()
        for made in workspace.objects
    )
    for tally in tallies.values():
        say(tally.line())
    n_settled, n_owned = (sum(getattr(t, n) for t in tallies.values()) for n in ("n_settled", "n_owned"))
    say(f"in all: {rendered} objects, {n_settled} settled, {n_owned} owned as predicted, {skipped} not covered")
    assert sum(tally.n_applied for tally in tallies.values()) == rendered - skipped
    assert uncovered == []
