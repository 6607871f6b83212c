"""Intents to workloads: defaults filled in, quantities read, and what an intent may ask of its tenant checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, error, warning
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster
from stowplan.model.inputs.fleet import FleetSpec
from stowplan.model.inputs.intents import BatchIntentSpec, InferenceIntentSpec, TrainingIntentSpec
from stowplan.model.inputs.tenant import ArtifactSpec, TenantSpec
from stowplan.model.quantity import parse_quantity, quantity_bytes
from stowplan.model.times import hours
from stowplan.model.workload import ROLE_BY_KIND, Unit, Workload

__all__ = ["bind_workload", "check_intent", "topology_levels"]


def bind_workload(entity: Entity[Any], fleet: FleetSpec, tenant: Entity[TenantSpec]) -> Workload:
    """The workload of an intent whose references all exist."""
    spec = entity.spec
    unit, units, rounds, run, loss = _shape(spec)
    priority = spec.priority or fleet.default_priority
    return Workload(
        name=entity.name,
        kind=entity.kind,
        entity=entity,
        tenant=tenant.name,
        namespace=spec.namespace or tenant.spec.namespaces[0],
        priority=priority,
        priority_value=fleet.priorities[priority],
        unit=unit,
        units=units,
        rounds=rounds,
        dispatch=spec.dispatch or getattr(fleet.planes.workload_placement, ROLE_BY_KIND[entity.kind]),
        run_hours=run,
        loss_unit_hours=loss,
        interruptible=spec.interruptible,
    )


def _unit(workers: int, part: Any, share: int = 1) -> Unit:
    return Unit(
        workers, part.accelerators // share, math.ceil(parse_quantity(part.cpu) * 1000 / share),
        math.ceil(quantity_bytes(part.memory) / share),
    )  # fmt: skip


def _shape(spec: Any) -> tuple[Unit, int, int, float, float]:
    """Unit, units at a time, rounds, hours of the whole run, hours that one interruption can lose."""
    if isinstance(spec, TrainingIntentSpec):
        run = hours(spec.duration.expected)
        return _unit(spec.workers.count, spec.workers), 1, 1, run, run
    if isinstance(spec, BatchIntentSpec):
        at_a_time = spec.shards.parallelism or spec.shards.count
        rounds = math.ceil(spec.shards.count / at_a_time)
        shard = hours(spec.duration.expected_per_shard)
        return _unit(1, spec.shards), at_a_time, rounds, rounds * shard, shard
    if isinstance(spec, InferenceIntentSpec):
        replica = _unit(spec.replica.nodes, spec.replica, spec.replica.nodes)
        return replica, sum(row.replicas for row in spec.regions), 1, 0.0, 0.0
    return _unit(1, spec.per_user), spec.users, 1, 0.0, 0.0


def check_intent(
    entity: Entity[Any],
    fleet: Entity[FleetSpec],
    tenants: Mapping[str, Entity[TenantSpec]],
    artifacts: Mapping[str, Entity[ArtifactSpec]],
    levels: frozenset[str],
) -> Iterator[Diagnostic]:
    """What references alone do not show: kinds of artifacts, the tenant's priorities and namespaces, levels, hubs."""
    spec, tenant = entity.spec, tenants.get(entity.spec.tenant)
    if tenant is not None:
        yield from _tenancy(entity, fleet.spec, tenant)
    wanted = {"image": "image", "model": "model"}
    for part, kind in wanted.items():
        if hasattr(spec, part):
            yield from _artifact_type(entity, artifacts, getattr(spec, part), kind, (part,))
    if entity.kind == "InferenceIntent":
        yield from _artifact_type(entity, artifacts, spec.engine.image, "image", ("engine", "image"))
        yield from _spread(entity)
    if getattr(spec, "topology", None) is not None:
        yield from _level(entity, levels)
    yield from _dispatch(entity, fleet)


def _tenancy(entity: Entity[Any], fleet: FleetSpec, tenant: Entity[TenantSpec]) -> Iterator[Diagnostic]:
    spec = entity.spec
    priority = spec.priority or fleet.default_priority
    if priority in fleet.priorities and priority not in tenant.spec.priorities:
        where = entity.at("priority") if spec.priority else entity.at("tenant")
        allowed = ", ".join(f"`{p}`" for p in tenant.spec.priorities)
        yield error(
            "SP0314", f"tenant `{tenant.name}` may not use priority `{priority}`", where,
            secondary=(Label(tenant.at("priorities"), "its priorities"),), helps=(f"one of {allowed}",),
        )  # fmt: skip
    if spec.namespace is not None and spec.namespace not in tenant.spec.namespaces:
        helps = did_you_mean(spec.namespace, tenant.spec.namespaces)
        yield error(
            "SP0315", f"namespace `{spec.namespace}` is not of tenant `{tenant.name}`", entity.at("namespace"),
            secondary=(Label(tenant.at("namespaces"), "its namespaces"),), helps=helps,
        )  # fmt: skip


def _artifact_type(
    entity: Entity[Any], artifacts: Mapping[str, Entity[ArtifactSpec]], name: str, kind: str, pointer: tuple[str, ...]
) -> Iterator[Diagnostic]:
    artifact = artifacts.get(name)
    if artifact is not None and artifact.spec.type != kind:
        yield error(
            "SP0319", f"`{name}` is a {artifact.spec.type}, not a{'n' if kind == 'image' else ''} {kind}", entity.at(*pointer),
            secondary=(Label(artifact.at("type"), "stated here"),),
        )  # fmt: skip


def _spread(entity: Entity[Any]) -> Iterator[Diagnostic]:
    spec = entity.spec
    replicas = sum(row.replicas for row in spec.regions)
    if replicas < spec.spread.min_clusters:
        yield error(
            "SP0207", f"{replicas} replicas cannot spread over {spec.spread.min_clusters} clusters",
            entity.at("spread", "minClusters"),
        )  # fmt: skip
    if spec.survive != "none" and spec.spread.min_clusters < 2 and len([r for r in spec.regions if r.replicas]) < 2:
        yield error(
            "SP0207", f"`survive: {spec.survive}` needs replicas in two clusters at least", entity.at("survive"),
            helps=("set `spread: {minClusters: 2}`",),
        )  # fmt: skip
    if spec.mode == "warm-standby":
        yield warning(
            "SP0734", f"every cluster of `{entity.name}` takes requests: nothing that is rendered keeps them from a standby",
            entity.at("mode"),
            helps=("tell whoever steers requests between clusters, and turn this rule off; or use `mode: active-active`",),
        )  # fmt: skip
    if spec.mode == "active-active" and spec.scaling is not None and spec.scaling.min == 0:
        yield error(
            "SP0207", "an active-active service cannot scale to nothing: `min` is 0", entity.at("scaling", "min"),
            helps=("`mode: warm-standby` may",),
        )  # fmt: skip


def topology_levels(clusters: Iterable[Cluster]) -> frozenset[str]:
    """The names of all topology levels that any cluster reports."""
    return frozenset(
        known.name
        for cluster in clusters
        if cluster.observed is not None and cluster.observed.topology is not None
        for known in cluster.observed.topology.levels
    )


def _level(entity: Entity[Any], levels: frozenset[str]) -> Iterator[Diagnostic]:
    need = entity.spec.topology
    level = need.required or need.preferred
    part = "required" if need.required else "preferred"
    if levels and level not in levels:
        helps = did_you_mean(level, levels) or (f"levels in the fleet: {', '.join(f'`{n}`' for n in sorted(levels))}",)
        yield error("SP0316", f"no cluster has a topology level `{level}`", entity.at("topology", part), helps=helps)


def _dispatch(entity: Entity[Any], fleet: Entity[FleetSpec]) -> Iterator[Diagnostic]:
    role = ROLE_BY_KIND[entity.kind]
    plane = fleet.at("planes", "workloadPlacement", role)
    owner = entity.spec.dispatch or getattr(fleet.spec.planes.workload_placement, role)
    where = entity.at("dispatch") if entity.spec.dispatch else plane
    hubs = fleet.spec.hubs
    if owner == "none":
        yield error(
            "SP0320", f"the planes table gives {role} work to nobody, but `{entity.name}` is such work", plane,
            secondary=(Label(entity.name_origin, "this intent"),),
        )  # fmt: skip
    elif owner == "multikueue" and hubs.kueue is None:
        yield error("SP0320", "`multikueue` dispatch needs `hubs.kueue`", where, helps=("name the manager cluster",))
    elif owner == "karmada" and hubs.karmada is None:
        yield error("SP0320", "`karmada` dispatch needs `hubs.karmada`", where, helps=("name the control plane",))
    elif entity.spec.dispatch == "multikueue" and role in ("inference", "interactive"):
        yield error("SP0320", f"MultiKueue does not dispatch {role} work", where)
