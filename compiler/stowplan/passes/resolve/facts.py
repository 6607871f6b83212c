"""Facts that must agree: snapshots within themselves and with their clusters, tenants among each other."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, error, warning
from stowplan.model.entity import Entity
from stowplan.model.inputs.cluster import ClusterSpec
from stowplan.model.inputs.inventory import InventorySnapshotSpec
from stowplan.model.times import parse_time
from stowplan.passes.load import Loaded
from stowplan.source.span import Origin

__all__ = ["check_facts"]


def check_facts(loaded: Loaded) -> Iterator[Diagnostic]:
    """Contradictions between documents and inside them that a field's own model cannot see."""
    entities = loaded.entities
    yield from _one_fleet(loaded)
    yield from _cohort_tree(entities["Cohort"])
    yield from _tenants(entities["Tenant"])
    yield from _windows(entities["Cluster"])
    yield from _device_classes(entities["Cluster"])
    clusters = {c.name: c for c in entities["Cluster"]}
    seen: dict[str, Entity[Any]] = {}
    flavors = {f.name: f for f in entities["Flavor"]}
    for snapshot in entities["InventorySnapshot"]:
        before = seen.setdefault(snapshot.spec.cluster, snapshot)
        if before is not snapshot:
            yield error(
                "SP0406", f"a second snapshot of cluster `{snapshot.spec.cluster}`", snapshot.at("cluster"),
                secondary=(Label(before.at("cluster"), "the first"),), helps=("keep the newer one",),
            )  # fmt: skip
        yield from _snapshot(snapshot, flavors)
        if snapshot.spec.cluster in clusters:
            yield from _against_cluster(snapshot, clusters[snapshot.spec.cluster])


def _one_fleet(loaded: Loaded) -> Iterator[Diagnostic]:
    fleets = loaded.entities["Fleet"]
    if not fleets and not loaded.may_have("Fleet"):
        yield error("SP0311", "the workspace has no Fleet", helps=("`stowplan init` makes a workspace with one",))
    for fleet in fleets[1:]:
        yield error(
            "SP0311",
            f"a second Fleet `{fleet.name}`",
            fleet.name_origin,
            secondary=(Label(fleets[0].name_origin, "the first"),),
        )


def _cohort_tree(cohorts: tuple[Entity[Any], ...]) -> Iterator[Diagnostic]:
    parent = {c.name: c.spec.parent for c in cohorts}
    by_name = {c.name: c for c in cohorts}
    reported: set[str] = set()
    for cohort in cohorts:
        path = [cohort.name]
        while (above := parent.get(path[-1])) is not None and above not in path:
            path.append(above)
        if above == cohort.name and cohort.name not in reported:
            reported.update(path)
            circle = " → ".join([*path, cohort.name])
            others = [by_name[name] for name in path[1:]]
            yield error(
                "SP0304", f"cohorts are each other's parents: {circle}", cohort.at("parent"),
                secondary=[Label(other.at("parent"), f"parent of `{other.name}`") for other in others],
                helps=("one of them has no parent: the root, whose tree shares",),
            )  # fmt: skip
    for cohort in cohorts:
        if cohort.spec.parent is None:
            for index, row in enumerate(cohort.spec.quota):
                for limit in ("borrowing_limit", "lending_limit"):
                    stated = getattr(row, limit)
                    if stated is not None:
                        name = "borrowingLimit" if limit == "borrowing_limit" else "lendingLimit"
                        yield error(
                            "SP0305", f"`{name}` of {stated} in a cohort without a parent: nobody to share with",
                            cohort.at("quota", index, name), helps=("give the cohort a `parent`, or drop the limit",),
                        )  # fmt: skip


def _tenants(tenants: tuple[Entity[Any], ...]) -> Iterator[Diagnostic]:
    owner: dict[str, tuple[Entity[Any], int]] = {}
    for tenant in tenants:
        for index, namespace in enumerate(tenant.spec.namespaces):
            if namespace in owner:
                first, step = owner[namespace]
                yield error(
                    "SP0310", f"namespace `{namespace}` belongs to tenant `{first.name}` already",
                    tenant.at("namespaces", index), secondary=(Label(first.at("namespaces", step), "first stated here"),),
                    helps=("a namespace belongs to one tenant",),
                )  # fmt: skip
            owner.setdefault(namespace, (tenant, index))
        for index, row in enumerate(tenant.spec.quota):
            if row.lending_limit is not None and row.lending_limit > row.nominal:
                yield error(
                    "SP0207", f"`lendingLimit` ({row.lending_limit}) is above `nominal` ({row.nominal}): nobody lends more "
                    "than it has", tenant.at("quota", index, "lendingLimit"),
                    secondary=(Label(tenant.at("quota", index, "nominal"), "what there is"),),
                )  # fmt: skip
        if tenant.spec.cohort is None:
            for index, row in enumerate(tenant.spec.quota):
                for limit, name in (("borrowing_limit", "borrowingLimit"), ("lending_limit", "lendingLimit")):
                    stated = getattr(row, limit)
                    if stated is not None:
                        yield error(
                            "SP0305",
                            f"`{name}` of {stated} without a cohort: tenant `{tenant.name}` has nobody to share with",
                            tenant.at("quota", index, name), helps=("give the tenant a `cohort`, or drop the limit",),
                        )  # fmt: skip


def _windows(clusters: tuple[Entity[ClusterSpec], ...]) -> Iterator[Diagnostic]:
    for cluster in clusters:
        for index, window in enumerate(cluster.spec.maintenance):
            if parse_time(window.until) <= parse_time(window.from_):
                yield error(
                    "SP0207", f"`until` ({window.until}) is not after `from` ({window.from_})",
                    cluster.at("maintenance", index, "until"),
                    secondary=(Label(cluster.at("maintenance", index, "from"), "starts here"),),
                )  # fmt: skip


def _device_classes(clusters: tuple[Entity[ClusterSpec], ...]) -> Iterator[Diagnostic]:
    """Kueue does not start with a resource or a class that is mapped twice."""
    for cluster in clusters:
        resources: dict[str, Origin] = {}
        classes: dict[str, Origin] = {}
        for index, row in enumerate(cluster.spec.kueue.device_classes):
            at = cluster.at("kueue", "deviceClasses", index)
            yield from _once(resources, row.resource, at / "resource", f"resource `{row.resource}`")
            for step, name in enumerate(row.classes):
                yield from _once(classes, name, at / "classes" / step, f"DeviceClass `{name}`")


def _once(seen: dict[str, Origin], name: str, at: Origin, what: str) -> Iterator[Diagnostic]:
    if name in seen:
        yield error(
            "SP0317", f"{what} is stated twice", at, secondary=(Label(seen[name], "first here"),),
        )  # fmt: skip
    seen.setdefault(name, at)


def _snapshot(snapshot: Entity[InventorySnapshotSpec], flavors: Mapping[str, Entity[Any]]) -> Iterator[Diagnostic]:
    spec = snapshot.spec
    for index in range(len(spec.node_groups)):
        yield from _group(snapshot, index, flavors)
    yield from _claims(snapshot)
    if spec.topology is None:
        return
    levels = spec.topology.levels
    seen_levels: dict[str, int] = {}
    for index, level in enumerate(levels):
        if level.name in seen_levels:
            yield error(
                "SP0317", f"level `{level.name}` is stated twice", snapshot.at("topology", "levels", index, "name"),
                secondary=(Label(snapshot.at("topology", "levels", seen_levels[level.name], "name"), "first here"),),
            )  # fmt: skip
        seen_levels.setdefault(level.name, index)
    broken = yield from _domains(snapshot)
    if broken:
        return
    yield from _node_counts(snapshot)
    yield from _running(snapshot)


def _domains(snapshot: Entity[InventorySnapshotSpec]) -> Generator[Diagnostic, None, bool]:
    """Checks each domain by itself; the generator's value says whether counting over them makes no sense."""
    spec = snapshot.spec
    assert spec.topology is not None
    groups = {g.name: g for g in spec.node_groups}
    above = spec.topology.levels[:-1]
    broken = False
    seen: dict[tuple[Any, ...], int] = {}
    for index, domain in enumerate(spec.topology.domains):
        at = ("topology", "domains", index)
        if len(domain.path) != len(above):
            broken = True
            want = " / ".join(level.name for level in above) or "nothing (the node is the only level)"
            yield error(
                "SP0403",
                f"the path has {len(domain.path)} names where the levels above the node are {want}",
                snapshot.at(*at, "path"),
                helps=("a path names every level above the node, outermost first",),
            )
            continue
        key = (domain.path, domain.node_group)
        if key in seen:
            yield error(
                "SP0317",
                f"domain `{'/'.join(domain.path)}` of `{domain.node_group}` is stated twice",
                snapshot.at(*at, "path"),
                secondary=(Label(snapshot.at("topology", "domains", seen[key], "path"), "first here"),),
            )
        seen.setdefault(key, index)
        if domain.node_group not in groups:
            broken = True
            yield error("SP0408", f"unknown node group `{domain.node_group}`", snapshot.at(*at, "nodeGroup"))
            continue
        yield from _domain(snapshot, index, groups[domain.node_group].per_node.accelerators)
    return broken


def _node_counts(snapshot: Entity[InventorySnapshotSpec]) -> Iterator[Diagnostic]:
    spec = snapshot.spec
    assert spec.topology is not None
    nodes: dict[str, int] = {}
    for domain in spec.topology.domains:
        nodes[domain.node_group] = nodes.get(domain.node_group, 0) + domain.nodes
    for index, group in enumerate(spec.node_groups):
        if group.name in nodes and nodes[group.name] != group.nodes:
            yield error(
                "SP0402",
                f"node group `{group.name}` has {group.nodes} nodes, its domains have {nodes[group.name]}",
                snapshot.at("nodeGroups", index, "nodes"),
            )


def _group(
    snapshot: Entity[InventorySnapshotSpec], index: int, flavors: Mapping[str, Entity[Any]]
) -> Iterator[Diagnostic]:
    group = snapshot.spec.node_groups[index]
    flavor = flavors.get(group.flavor)
    if flavor is None or flavor.spec.accelerator is None or group.accelerator is None:
        return
    for part in ("vendor", "model", "mig_profile"):
        stated, observed = getattr(flavor.spec.accelerator, part), getattr(group.accelerator, part)
        if stated != observed:
            word = {"mig_profile": "migProfile"}.get(part, part)
            yield error(
                "SP0402", f"node group `{group.name}` has {word} `{observed}`, its flavor `{flavor.name}` says `{stated}`",
                snapshot.at("nodeGroups", index, "accelerator", word),
                secondary=(Label(flavor.at("accelerator", word), "the flavor"),),
            )  # fmt: skip


def _claims(snapshot: Entity[InventorySnapshotSpec]) -> Iterator[Diagnostic]:
    """A job asks for the devices of its flavor in one way, whichever node group it comes to."""
    first: dict[str, int] = {}
    for index, group in enumerate(snapshot.spec.node_groups):
        if group.accelerator is None:
            continue
        before = first.setdefault(group.flavor, index)
        other = snapshot.spec.node_groups[before]
        assert other.accelerator is not None
        if group.accelerator.dra != other.accelerator.dra:
            yield error(
                "SP0402",
                f"node groups `{other.name}` and `{group.name}` are of flavor `{group.flavor}`, but hand out their devices in "
                "two ways",
                snapshot.at("nodeGroups", index, "accelerator", "dra"),
                secondary=(Label(snapshot.at("nodeGroups", before, "accelerator", "dra"), "the other one"),),
                helps=("give one of them a Flavor of its own",),
            )  # fmt: skip


def _domain(snapshot: Entity[InventorySnapshotSpec], index: int, per_node: int) -> Iterator[Diagnostic]:
    assert snapshot.spec.topology is not None
    domain = snapshot.spec.topology.domains[index]
    at = ("topology", "domains", index)
    if domain.free_nodes > domain.nodes:
        yield error(
            "SP0404", f"{domain.free_nodes} free nodes of {domain.nodes} in all", snapshot.at(*at, "freeNodes"),
            secondary=(Label(snapshot.at(*at, "nodes"), "in all"),),
        )  # fmt: skip
    elif domain.free_accelerators > domain.nodes * per_node:
        yield error(
            "SP0404",
            f"{domain.free_accelerators} free accelerators of {domain.nodes * per_node} in all",
            snapshot.at(*at, "freeAccelerators"),
        )
    elif domain.free_accelerators < domain.free_nodes * per_node:
        yield error(
            "SP0404",
            f"{domain.free_accelerators} free accelerators, but {domain.free_nodes} whole free nodes have "
            f"{domain.free_nodes * per_node}",
            snapshot.at(*at, "freeAccelerators"),
        )


def _running(snapshot: Entity[InventorySnapshotSpec]) -> Iterator[Diagnostic]:
    spec = snapshot.spec
    assert spec.topology is not None
    flavor_of = {g.name: g.flavor for g in spec.node_groups}
    per_node = {g.name: g.per_node.accelerators for g in spec.node_groups}
    room: dict[tuple[str, tuple[str, ...]], int] = {}
    for domain in spec.topology.domains:
        if domain.node_group in flavor_of:
            busy = domain.nodes * per_node[domain.node_group] - domain.free_accelerators
            for length in range(len(domain.path) + 1):
                key = (flavor_of[domain.node_group], domain.path[:length])
                room[key] = room.get(key, 0) + busy
    used: dict[tuple[str, tuple[str, ...]], int] = {}
    for index, row in enumerate(spec.running):
        key = (row.flavor, row.domain)
        if key not in room:
            where = "/".join(row.domain) or "the cluster"
            yield error("SP0408", f"no nodes of `{row.flavor}` in `{where}`", snapshot.at("running", index, "domain"))
            continue
        used[key] = used.get(key, 0) + row.accelerators
        if used[key] > room[key]:
            where = "/".join(row.domain) or "the cluster"
            yield error(
                "SP0404", f"`{row.intent}` and others run on {used[key]} accelerators of `{row.flavor}` in `{where}`, "
                f"where only {room[key]} are not free",
                snapshot.at("running", index, "accelerators"),
            )  # fmt: skip


def _against_cluster(snapshot: Entity[InventorySnapshotSpec], cluster: Entity[ClusterSpec]) -> Iterator[Diagnostic]:
    observed = snapshot.spec.kubernetes.removeprefix("v").split(".")
    if observed[:2] != cluster.spec.kubernetes.split("."):
        yield warning(
            "SP0402", f"cluster `{cluster.name}` runs Kubernetes {snapshot.spec.kubernetes}, its document says "
            f"{cluster.spec.kubernetes}",
            snapshot.at("kubernetes"), secondary=(Label(cluster.at("kubernetes"), "declared here"),),
        )  # fmt: skip
