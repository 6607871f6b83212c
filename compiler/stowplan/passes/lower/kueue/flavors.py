"""ResourceFlavors and Topologies: node groups of one kind of capacity, and the levels their nodes are labelled with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.model.devices import claim_of
from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet, Pool
from stowplan.model.inputs.fleet import FlavorSpec, Toleration
from stowplan.model.manifest import Manifest, Unit
from stowplan.passes.lower.kueue.dialect import Dialect
from stowplan.source.span import Origin

__all__ = [
    "HOSTNAME",
    "flavor_manifest",
    "flavor_problems",
    "level_labels",
    "pool_taints",
    "topology_manifest",
    "topology_name",
]

HOSTNAME = "kubernetes.io/hostname"
_MOST = 8
"""Labels, taints, and tolerations of one ResourceFlavor."""
_MOST_LEVELS = 16


def level_labels(cluster: Cluster) -> tuple[str, ...]:
    """Node labels of the cluster's topology levels, the outermost first; the node alone where none are reported."""
    observed = cluster.observed
    if observed is None or observed.topology is None:
        return (HOSTNAME,)
    return tuple(level.label for level in observed.topology.levels)


def topology_name(fleet: Fleet, cluster: Cluster, flavor: str) -> str | None:
    """The Topology of a flavor on a cluster; none where devices are claimed.

    Kueue's topologies do not know how many devices a node has: they take no claims, or from 0.17.5 and 0.18.1 on any number.
    """
    pool = cluster.pools.get(flavor)
    return None if pool is not None and claim_of(pool) is not None else fleet.flavors[flavor].spec.topology


def pool_taints(flavor: Entity[FlavorSpec], pool: Pool | None) -> list[dict[str, Any]]:
    """Taints stated with the flavor, and those that all its node groups have, as Kubernetes writes them."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for taint in flavor.spec.node_taints:
        if taint.key is not None and taint.effect is not None:
            found[taint.key, taint.effect] = _taint(taint.key, taint.value, taint.effect)
    groups = [group for group, _ in pool.groups] if pool is not None else []
    for common in groups[0].taints if groups else ():
        if all(common in group.taints for group in groups):
            found.setdefault((common.key, common.effect), _taint(common.key, common.value, common.effect))
    return list(found.values())


def _taint(key: str, value: str | None, effect: str) -> dict[str, Any]:
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def tolerations(given: Sequence[Toleration]) -> list[dict[str, Any]]:
    """Tolerations as Kubernetes writes them."""
    made = []
    for row in given:
        entry = {"key": row.key, "operator": row.operator, "value": row.value, "effect": row.effect}
        made.append({name: value for name, value in entry.items() if value is not None})
    return made


def flavor_manifest(
    fleet: Fleet, unit: Unit, dialect: Dialect, flavor: str, *, name: str, topology: str | None, pool: Pool | None
) -> Manifest:
    """One ResourceFlavor; on the manager `pool` is None, since it has no such nodes."""
    entity = fleet.flavors[flavor]
    spec: dict[str, Any] = {
        "nodeLabels": dict(sorted(entity.spec.node_labels.items())),
        "nodeTaints": pool_taints(entity, pool),
        "tolerations": tolerations(entity.spec.tolerations),
        "topologyName": topology,
    }
    variables = {"api_version": dialect.api_version, "name": name, "spec": {k: v for k, v in spec.items() if v}}
    origins = {
        (): entity.origin,
        ("name",): entity.name_origin,
        ("spec", "nodeLabels"): entity.at("nodeLabels"),
        ("spec", "nodeTaints"): entity.at("nodeTaints"),
        ("spec", "tolerations"): entity.at("tolerations"),
        ("spec", "topologyName"): entity.at("topology"),
    }
    return Manifest(unit, "kueue/resourceflavor", variables, origins, f"flavor/{flavor}")


def topology_manifest(
    unit: Unit, dialect: Dialect, name: str, labels: Sequence[str], origin: Origin, named_at: Origin
) -> Manifest:
    """One Topology with the levels of the cluster's nodes."""
    variables = {"api_version": dialect.api_version, "name": name, "levels": [{"nodeLabel": label} for label in labels]}
    origins = {(): origin, ("name",): named_at, ("levels",): origin}
    return Manifest(unit, "kueue/topology", variables, origins, "inventory/topology")


def levels_origin(cluster: Cluster) -> Origin:
    """Where the levels are stated."""
    if cluster.snapshot is not None and cluster.snapshot.spec.topology is not None:
        return cluster.snapshot.at("topology", "levels")
    return cluster.entity.origin


def flavor_problems(fleet: Fleet, cluster: Cluster, flavor: str) -> Iterator[Diagnostic]:
    """What Kueue would refuse of a flavor, at the user's lines."""
    entity = fleet.flavors[flavor]
    spec = entity.spec
    if spec.topology is not None and not spec.node_labels:
        yield error(
            "SP2060", f"flavor `{flavor}` has a topology but no `nodeLabels` that select its nodes", entity.at("topology"),
            helps=("state the labels that the flavor's nodes carry",),
        )  # fmt: skip
    for part, rows in (("nodeLabels", spec.node_labels), ("tolerations", spec.tolerations)):
        if len(rows) > _MOST:
            yield error("SP2010", f"{len(rows)} {part} of flavor `{flavor}`; Kueue takes {_MOST}", entity.at(part))
    pool = cluster.pools.get(flavor)
    taints = pool_taints(entity, pool)
    if len(taints) > _MOST:
        yield error(
            "SP2010", f"{len(taints)} taints of flavor `{flavor}`; Kueue takes {_MOST}", entity.at("nodeTaints")
        )
    for index, taint in enumerate(spec.node_taints):
        if taint.key is None or taint.effect is None:
            yield error("SP2010", "a taint has a key and an effect", entity.at("nodeTaints", index))


def topology_problems(cluster: Cluster) -> Iterator[Diagnostic]:
    """What Kueue would refuse of the levels that a snapshot reports."""
    labels = level_labels(cluster)
    origin = levels_origin(cluster)
    if len(labels) > _MOST_LEVELS:
        yield error("SP2062", f"{len(labels)} topology levels; Kueue takes {_MOST_LEVELS}", origin)
    for index, label in enumerate(labels):
        if label in labels[:index]:
            first = origin / labels.index(label)
            yield error(
                "SP2062", f"two topology levels of `{cluster.name}` have the label `{label}`", origin / index,
                secondary=(Label(first, "first stated here"),),
            )  # fmt: skip
        if label == HOSTNAME and index < len(labels) - 1:
            yield error("SP2062", f"`{HOSTNAME}` must be the last topology level", origin / index)
