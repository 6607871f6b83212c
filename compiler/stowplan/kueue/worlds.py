"""Rendered objects of one API server as the scheduler's model reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stowplan.kueue.claims import claimed_amounts
from stowplan.kueue.podsets import PodSet
from stowplan.kueue.scheduling.documents import Counting, Documents, ask_of, read_world
from stowplan.kueue.scheduling.flavors import complaint_of
from stowplan.kueue.scheduling.release import Release, release_of
from stowplan.kueue.scheduling.topology import NodeFacts
from stowplan.kueue.scheduling.world import World
from stowplan.kueue.tree import Side
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.dialect import version_of

__all__ = ["counting_of", "flavor_complaints", "placing_flavors", "release_on", "world_of"]


def world_of(side: Side, nodes: Iterable[NodeFacts] = ()) -> World:
    """Queues and flavors as they are rendered, with nothing held."""

    def plain(made: Mapping[str, RenderedObject]) -> dict[str, Mapping[str, object]]:
        return {name: one.object for name, one in made.items()}

    documents = Documents(
        plain(side.queues), plain(side.flavors), plain(side.cohorts), plain(side.topologies), plain(side.checks)
    )
    return read_world(documents, nodes)


def release_on(side: Side) -> Release:
    """The scheduler that the cluster runs."""
    settings = side.cluster.spec.kueue
    version = version_of(side.cluster.spec.components.get("kueue", ""))
    return release_of(version, settings.feature_gates, fair_sharing=settings.fair_sharing)


def counting_of(side: Side) -> Counting:
    """How the cluster's Kueue counts resources."""
    settings = side.cluster.spec.kueue
    rows = tuple((row.input, row.strategy == "Retain", dict(row.outputs)) for row in settings.transformations)
    return Counting(rows, tuple(settings.exclude_prefixes), lambda podset: claimed_amounts(side, podset))


def placing_flavors(side: Side) -> dict[str, Mapping[str, str]]:
    """Labels of the nodes of flavors that have a topology."""
    found: dict[str, Mapping[str, str]] = {}
    for name, made in side.flavors.items():
        spec = made.object.get("spec") or {}
        if spec.get("topologyName"):
            found[name] = {str(key): str(value) for key, value in (spec.get("nodeLabels") or {}).items()}
    return found


def flavor_complaints(side: Side, world: World, queue: str, podset: PodSet) -> list[tuple[str, str | None]]:
    """For each flavor of a queue why it cannot take a pod set whatever its quota; None where it can."""
    release, mine = release_on(side), world.queues[queue]
    (asked,) = ask_of("", queue, (podset,), counting_of(side)).podsets
    return [
        (name, complaint_of(world, release, mine, group, name, asked))
        for group in mine.groups
        for name in group.flavors
    ]
