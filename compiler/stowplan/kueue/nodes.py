"""Nodes of a cluster's pools as the snapshot sketches them: whole free ones, used ones, and who of ours holds what of those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stowplan.kueue.scheduling.topology import HOSTNAME, NodeFacts, Placed
from stowplan.kueue.scheduling.work import Ask
from stowplan.model.fleet import Cluster, Fleet, Leaf, Pool
from stowplan.passes.lower.kueue.amounts import accelerator_resource
from stowplan.passes.lower.kueue.flavors import level_labels

__all__ = ["Resident", "Sketch", "sketch_nodes", "whole_nodes"]


_MOST_NODES = 10_000
"""Nodes of one domain that are told apart."""


@dataclass(frozen=True, slots=True)
class Resident:
    """Work of ours that runs: accelerators that it holds below a path of a flavor's topology."""

    ask: Ask
    flavor: str
    path: tuple[str, ...]
    accelerators: int


@dataclass(slots=True)
class _Spot:
    """One node while its inhabitants are found: accelerators in use, and those that are nobody's we know."""

    name: str
    leaf: Leaf
    busy: int
    strangers: int


@dataclass(slots=True)
class Sketch:
    """Nodes by flavor, and where residents sit: (intent, pod set) to pods by node name."""

    nodes: dict[str, list[NodeFacts]] = field(default_factory=dict)
    seats: dict[tuple[str, str, str], dict[str, int]] = field(default_factory=dict)

    def placed(self, ask: Ask, flavor: str, numbers: Mapping[str, int]) -> tuple[Placed, ...]:
        """What a resident's pods take, by the numbers of the flavor's leaves."""
        made = []
        for podset in ask.podsets:
            seats = self.seats.get((ask.name, flavor, podset.name), {})
            counts = tuple((numbers[name], n) for name, n in sorted(seats.items()) if name in numbers)
            if counts:
                made.append(Placed(podset.name, flavor, podset.each, counts))
        return tuple(made)


def whole_nodes(fleet: Fleet, cluster: Cluster, labels: Mapping[str, Mapping[str, str]]) -> Sketch:
    """The same nodes with nothing on them."""
    made = Sketch()
    for flavor, mine in labels.items():
        pool = cluster.pools.get(flavor)
        if pool is not None:
            resource = accelerator_resource(fleet, flavor, cluster.name)
            spots = [replace(spot, busy=0, strangers=0) for leaf in pool.leaves for spot in _spots(leaf)]
            made.nodes[flavor] = [_facts(cluster, pool, resource, mine, spot) for spot in spots]
    return made


def sketch_nodes(
    fleet: Fleet, cluster: Cluster, labels: Mapping[str, Mapping[str, str]], residents: Sequence[Resident]
) -> Sketch:
    """Nodes of the pools of these flavors; `labels` are those that each flavor's nodes carry.

    A snapshot counts free nodes and accelerators by domain. What is free on used nodes is spread over them as evenly as it goes, the
    worst for whole workers; what is used there is that of residents first, and of strangers who do not leave.
    """
    made = Sketch()
    for flavor, mine in labels.items():
        pool = cluster.pools.get(flavor)
        if pool is None:
            continue
        resource = accelerator_resource(fleet, flavor, cluster.name)
        spots = [spot for leaf in pool.leaves for spot in _spots(leaf)]
        for resident in residents:
            if resident.flavor == flavor and resource is not None:
                _seat(
                    made, resident, resource, [s for s in spots if s.leaf.path[: len(resident.path)] == resident.path]
                )
        made.nodes[flavor] = [_facts(cluster, pool, resource, mine, spot) for spot in spots]
    return made


def _spots(leaf: Leaf) -> Iterator[_Spot]:
    per_node = leaf.accelerators_per_node
    free_nodes = max(0, min(leaf.free_nodes, leaf.nodes))
    used = leaf.nodes - free_nodes
    loose = max(0, leaf.free_accelerators - free_nodes * per_node)
    base, extra = divmod(loose, used) if used else (0, 0)
    where = "-".join((leaf.group, *leaf.path))
    for number in range(min(leaf.nodes, _MOST_NODES)):
        busy = 0
        if number < used:
            busy = max(0, per_node - base - (number < extra)) if per_node else 1
        yield _Spot(f"{where}-{number:05}", leaf, busy, busy)


def _seat(made: Sketch, resident: Resident, resource: str, spots: list[_Spot]) -> None:
    left = resident.accelerators
    for podset in resident.ask.podsets:
        each, pods = podset.each.get(resource, 0), podset.count
        for spot in spots if each else ():
            taken = min(pods, left // each, spot.strangers // each)
            if taken > 0:
                seats = made.seats.setdefault((resident.ask.name, resident.flavor, podset.name), {})
                seats[spot.name] = seats.get(spot.name, 0) + taken
                pods, left = pods - taken, left - taken * each
                spot.strangers -= taken * each


def _facts(cluster: Cluster, pool: Pool, resource: str | None, labels: Mapping[str, str], spot: _Spot) -> NodeFacts:
    leaf = spot.leaf
    group = next(group for group, _ in pool.groups if group.name == leaf.group)
    whole = {"cpu": leaf.cpu, "memory": leaf.memory, "pods": group.per_node.pods}
    if resource is not None:
        whole[resource] = leaf.accelerators_per_node
    if group.rdma is not None:
        whole[group.rdma.resource] = group.rdma.per_node or leaf.accelerators_per_node
    of = max(1, leaf.accelerators_per_node)
    capacity = {name: amount - -(-amount * spot.strangers // of) for name, amount in whole.items()}
    levels = level_labels(cluster)
    places = {**dict(zip(levels, leaf.path, strict=False)), levels[-1]: spot.name}
    taints = tuple(taint.model_dump(by_alias=True, exclude_none=True, mode="json") for taint in group.taints)
    return NodeFacts(spot.name, {**labels, **places, HOSTNAME: spot.name}, capacity, taints, is_sketch=True)
