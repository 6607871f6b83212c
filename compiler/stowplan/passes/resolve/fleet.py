"""The resolve pass: entities to a bound `Fleet`, with every reference and fact checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Outcome, warning
from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet, Policies, QuotaFact
from stowplan.model.times import format_time, hours, parse_time
from stowplan.passes.load import Loaded
from stowplan.passes.resolve.capacity import bind_cluster
from stowplan.passes.resolve.facts import check_facts
from stowplan.passes.resolve.names import check_references
from stowplan.passes.resolve.workloads import bind_workload, check_intent, topology_levels

__all__ = ["resolve"]


def resolve(loaded: Loaded, as_of: datetime | None = None) -> Outcome[Fleet | None]:
    """The bound fleet, or None where there is no Fleet document to start from.

    With errors among the diagnostics the value holds what could be bound; the driver does not go on from it.
    """
    found: list[Diagnostic] = [*check_references(loaded), *check_facts(loaded)]
    entities = loaded.entities
    if not entities["Fleet"]:
        return Outcome(None, tuple(found))
    fleet = entities["Fleet"][0]
    snapshots = {s.spec.cluster: s for s in reversed(entities["InventorySnapshot"])}
    clusters = {c.name: bind_cluster(c, snapshots.get(c.name)) for c in entities["Cluster"]}
    tenants, artifacts = _by_name(entities["Tenant"]), _by_name(entities["Artifact"])
    intents = [e for kind in sorted(entities) if kind.endswith("Intent") for e in entities[kind]]
    levels = topology_levels(clusters.values())
    for entity in intents:
        found.extend(check_intent(entity, fleet, tenants, artifacts, levels))
    when = as_of or _newest(entities["InventorySnapshot"])
    found.extend(_snapshots_present(clusters, loaded))
    found.extend(_stale(clusters.values(), when, fleet.spec.snapshot_max_age))
    bound = [
        bind_workload(e, fleet.spec, tenants[e.spec.tenant])
        for e in intents
        if e.spec.tenant in tenants and (e.spec.priority or fleet.spec.default_priority) in fleet.spec.priorities
    ]
    value = Fleet(
        entity=fleet,
        clusters=MappingProxyType(clusters),
        flavors=_by_name(entities["Flavor"]),
        cohorts=_by_name(entities["Cohort"]),
        tenants=tenants,
        artifacts=artifacts,
        workloads=tuple(sorted(bound, key=lambda w: w.name)),
        components=entities["Component"],
        policies=_policies(entities),
        as_of=when,
        quotas=MappingProxyType(_quotas(tenants, clusters)),
    )
    return Outcome(value, tuple(found))


def _by_name(entities: Iterable[Entity[Any]]) -> Mapping[str, Entity[Any]]:
    return MappingProxyType({e.name: e for e in entities})


def _newest(snapshots: Iterable[Entity[Any]]) -> datetime:
    return max((parse_time(s.spec.observed_at) for s in snapshots), default=parse_time("1970-01-01T00:00:00Z"))


def _policies(entities: Mapping[str, tuple[Entity[Any], ...]]) -> Policies:
    return Policies(
        placement=entities["PlacementPolicy"],
        ownership=entities["OwnershipPolicy"],
        guardrails=entities["GuardrailPolicy"],
        failover=entities["FailoverPolicy"],
        rollout=entities["RolloutPolicy"],
        levels=entities["RuleLevels"],
        exemptions=entities["Exemption"],
    )


def _quotas(
    tenants: Mapping[str, Entity[Any]], clusters: Mapping[str, Cluster]
) -> dict[tuple[str, str, str], QuotaFact]:
    """Rows that name a cluster win over `*` rows."""
    quotas: dict[tuple[str, str, str], QuotaFact] = {}
    for tenant in tenants.values():
        for named in (False, True):
            for index, row in enumerate(tenant.spec.quota):
                if (row.cluster != "*") is named:
                    where = [row.cluster] if named else [c.name for c in clusters.values() if row.flavor in c.pools]
                    fact = QuotaFact(row.nominal, row.borrowing_limit, row.lending_limit, tenant.at("quota", index))
                    quotas.update({(tenant.name, cluster, row.flavor): fact for cluster in where})
    return dict(sorted(quotas.items()))


def _snapshots_present(clusters: Mapping[str, Cluster], loaded: Loaded) -> list[Diagnostic]:
    if loaded.may_have("InventorySnapshot"):
        return []
    return [
        warning(
            "SP0405",
            f"cluster `{c.name}` has no InventorySnapshot, so nothing can be placed on it",
            c.entity.name_origin,
            helps=("write down what the cluster has as an InventorySnapshot",),
        )
        for c in clusters.values()
        if c.snapshot is None
    ]


def _stale(clusters: Iterable[Cluster], when: datetime, limit: str) -> list[Diagnostic]:
    found = []
    for cluster in clusters:
        if cluster.snapshot is None:
            continue
        observed = parse_time(cluster.snapshot.spec.observed_at)
        if when - observed > timedelta(hours=hours(limit)):
            found.append(
                warning(
                    "SP0401",
                    f"the snapshot of `{cluster.name}` is from {format_time(observed)}, more than {limit} before "
                    f"{format_time(when)}",
                    cluster.snapshot.at("observedAt"),
                    helps=("take a new snapshot; until then nothing is placed there",),
                )
            )
    return found
