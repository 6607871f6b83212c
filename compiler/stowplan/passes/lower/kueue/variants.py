"""Flavors as the manager knows them: one for each flavor, or several where members label its levels differently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stowplan.model.fleet import Fleet
from stowplan.passes.lower.kueue.flavors import level_labels, topology_name
from stowplan.passes.lower.kueue.names import digest_of, limited_name

__all__ = ["Variant", "variants_of"]


@dataclass(frozen=True, slots=True)
class Variant:
    """A ResourceFlavor of the manager: `topology` is the Topology's name, `levels` its labels (empty without one)."""

    flavor: str
    name: str
    topology: str | None
    levels: tuple[str, ...]


def variants_of(fleet: Fleet, clusters: Iterable[str], taken: Iterable[str]) -> Mapping[tuple[str, str], Variant]:
    """The manager's flavor for each (cluster, flavor). Names in `taken` belong to the hub's own nodes."""
    levels: dict[tuple[str, str], tuple[str, ...]] = {}
    for name in sorted(set(clusters)):
        cluster = fleet.clusters[name]
        for flavor in cluster.pools:
            has_topology = topology_name(fleet, cluster, flavor) is not None
            levels[name, flavor] = level_labels(cluster) if has_topology else ()
    kinds: dict[str, set[tuple[str, ...]]] = {}
    for (_, flavor), labels in levels.items():
        kinds.setdefault(flavor, set()).add(labels)
    topologies: dict[str, set[tuple[str, ...]]] = {}
    for (cluster_name, flavor), labels in levels.items():
        topology = topology_name(fleet, fleet.clusters[cluster_name], flavor)
        if topology is not None:
            topologies.setdefault(topology, set()).add(labels)
    own = set(taken)
    made = {}
    for (cluster_name, flavor), labels in levels.items():
        topology = topology_name(fleet, fleet.clusters[cluster_name], flavor)
        shown = None if topology is None else _name(topology, labels, alone=len(topologies[topology]) == 1, own=own)
        name = _name(flavor, labels, alone=len(kinds[flavor]) == 1, own=own)
        made[cluster_name, flavor] = Variant(flavor, name, shown, labels)
    return made


def _name(wanted: str, labels: tuple[str, ...], *, alone: bool, own: set[str]) -> str:
    """The plain name where nothing else has it; else with a digest of the level labels."""
    if alone and wanted not in own:
        return wanted
    return f"{limited_name(wanted, 56)}-{digest_of(*labels)}"
