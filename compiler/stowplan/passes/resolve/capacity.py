"""A cluster's snapshot to capacity pools: one for each flavor, with the leaves of its topology."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Leaf, Pool
from stowplan.model.inputs.cluster import ClusterSpec
from stowplan.model.inputs.inventory import InventorySnapshotSpec, NodeGroup
from stowplan.model.quantity import parse_quantity, quantity_bytes
from stowplan.model.times import hours
from stowplan.source.span import Origin

__all__ = ["bind_cluster"]


def bind_cluster(entity: Entity[ClusterSpec], snapshot: Entity[InventorySnapshotSpec] | None) -> Cluster:
    """The cluster with its facts; without a snapshot it has no capacity and serves nothing known."""
    minor = int(entity.spec.kubernetes.split(".")[1])
    if snapshot is None:
        empty: Mapping[str, Pool] = MappingProxyType({})
        return Cluster(entity.name, entity, None, empty, frozenset(), {}, {}, minor)
    spec = snapshot.spec
    transfer = {row.from_region: (row, snapshot.at("transfer", i)) for i, row in enumerate(spec.transfer)}
    return Cluster(
        name=entity.name,
        entity=entity,
        snapshot=snapshot,
        pools=MappingProxyType(_pools(entity.name, snapshot)),
        apis=frozenset(spec.apis),
        cached=MappingProxyType({row.artifact: row.digest for row in spec.cached}),
        transfer=MappingProxyType(transfer),
        minor=minor,
    )


def _pools(cluster: str, snapshot: Entity[InventorySnapshotSpec]) -> dict[str, Pool]:
    spec = snapshot.spec
    levels = tuple(level.name for level in spec.topology.levels) if spec.topology else ("node",)
    prices = {row.flavor: (row, snapshot.at("prices", i)) for i, row in enumerate(spec.prices)}
    waits = {row.flavor: hours(row.wait_estimate) for row in spec.queues}
    groups: dict[str, list[tuple[NodeGroup, Origin]]] = {}
    for index, group in enumerate(spec.node_groups):
        groups.setdefault(group.flavor, []).append((group, snapshot.at("nodeGroups", index)))
    pools = {}
    for flavor in sorted(groups):
        price, price_origin = prices.get(flavor, (None, None))
        pools[flavor] = Pool(
            cluster=cluster,
            flavor=flavor,
            groups=tuple(groups[flavor]),
            leaves=tuple(leaf for group, origin in groups[flavor] for leaf in _leaves(group, origin, snapshot)),
            levels=levels,
            price=price,
            price_origin=price_origin,
            wait_hours=waits.get(flavor, 0.0),
            power_kilowatts_per_node=max((g.power_kilowatts_per_node or 0.0) for g, _ in groups[flavor]),
        )
    return pools


def _leaves(group: NodeGroup, origin: Origin, snapshot: Entity[InventorySnapshotSpec]) -> list[Leaf]:
    spec = snapshot.spec
    per = group.per_node
    cpu, memory = int(parse_quantity(per.cpu) * 1000), quantity_bytes(per.memory)

    def leaf(path: tuple[str, ...], nodes: int, free_nodes: int, free: int, at: Origin) -> Leaf:
        return Leaf(path, group.name, nodes, per.accelerators, cpu, memory, free_nodes, free, at)

    domains = spec.topology.domains if spec.topology else ()
    mine = [(i, d) for i, d in enumerate(domains) if d.node_group == group.name]
    if mine:
        return [
            leaf(d.path, d.nodes, d.free_nodes, d.free_accelerators, snapshot.at("topology", "domains", i))
            for i, d in mine
        ]
    busy = sum(row.accelerators for row in spec.running if row.flavor == group.flavor)
    free = max(0, group.nodes * per.accelerators - busy)
    whole = free // per.accelerators if per.accelerators else group.nodes
    return [leaf((), group.nodes, whole, free, origin)]
