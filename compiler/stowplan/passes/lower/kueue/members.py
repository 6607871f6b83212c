"""Kueue on the members: flavors, topologies, cohorts, queues, and priorities of every cluster that runs Kueue."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.diagnostics.model import Diagnostic, Outcome
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.manifest import Manifest, Unit
from stowplan.passes.lower.kueue.access import worker_access
from stowplan.passes.lower.kueue.dialect import Dialect, dialect_of
from stowplan.passes.lower.kueue.dispatch import Dispatches
from stowplan.passes.lower.kueue.flavors import (
    flavor_manifest,
    flavor_problems,
    level_labels,
    levels_origin,
    topology_manifest,
    topology_problems,
)
from stowplan.passes.lower.kueue.groups import group_problems
from stowplan.passes.lower.kueue.priorities import priority_manifests
from stowplan.passes.lower.kueue.provisioning import provisioning_checks, provisioning_manifests
from stowplan.passes.lower.kueue.queues import cluster_queue, cohort_manifest, local_queue, stop_policy
from stowplan.passes.lower.kueue.quotas import Outside, cohort_quotas, flavor_order, quota_origins, tenant_quotas
from stowplan.passes.lower.kueue.units import kueue_unit
from stowplan.passes.lower.targets import cluster_target

__all__ = ["cohorts_above", "lower_member", "lower_members"]


def lower_members(fleet: Fleet, outside: Outside, jobs: Dispatches) -> Outcome[tuple[Manifest, ...]]:
    """All members that run Kueue, by name."""
    manifests: list[Manifest] = []
    found: list[Diagnostic] = []
    for cluster in fleet.members:
        dialect = dialect_of(cluster)
        if dialect is not None:
            found.extend(_problems(fleet, outside, cluster))
            manifests.extend(lower_member(fleet, outside, jobs, cluster, dialect))
    return Outcome(tuple(manifests), tuple(dict.fromkeys(found)))


def lower_member(
    fleet: Fleet, outside: Outside, jobs: Dispatches, cluster: Cluster, dialect: Dialect
) -> Iterator[Manifest]:
    """One member."""
    unit = kueue_unit(cluster_target(fleet, cluster.name))
    yield from _capacity(fleet, unit, dialect, cluster)
    yield from provisioning_manifests(fleet, unit, dialect, cluster)
    yield from priority_manifests(fleet, unit, dialect)
    tenants = _tenants_on(fleet, cluster)
    for cohort in cohorts_above(fleet, tenants):
        entity = fleet.cohorts[cohort]
        yield cohort_manifest(
            entity, unit, dialect, name=cohort, parent=entity.spec.parent, quotas=cohort_quotas(fleet, cohort, cluster)
        )
    for tenant in tenants:
        entity_ = fleet.tenants[tenant]
        yield cluster_queue(
            entity_,
            unit,
            dialect,
            name=tenant,
            cohort=entity_.spec.cohort,
            quotas=tenant_quotas(fleet, outside, tenant, cluster),
            stop=stop_policy(fleet, cluster, entity_),
            checks=provisioning_checks(fleet, flavor_order(fleet, tenant, cluster)),
            origins=quota_origins(fleet, tenant, cluster),
        )
    yield from _local_queues(fleet, jobs, unit, dialect, cluster)
    yield from worker_access(fleet, jobs, unit, cluster)


def _tenants_on(fleet: Fleet, cluster: Cluster) -> list[str]:
    return sorted({t for (t, c, f) in fleet.quotas if c == cluster.name and f in cluster.pools})


def cohorts_above(fleet: Fleet, tenants: list[str]) -> list[str]:
    """Cohorts of the tenants and those above them, by name."""
    above: set[str] = set()
    for tenant in tenants:
        name = fleet.tenants[tenant].spec.cohort
        while name is not None and name not in above:
            above.add(name)
            name = fleet.cohorts[name].spec.parent
    return sorted(above)


def _capacity(fleet: Fleet, unit: Unit, dialect: Dialect, cluster: Cluster) -> Iterator[Manifest]:
    topologies: dict[str, str] = {}
    for flavor, pool in cluster.pools.items():
        topology = fleet.flavors[flavor].spec.topology
        if topology is not None:
            topologies.setdefault(topology, flavor)
        yield flavor_manifest(fleet, unit, dialect, flavor, name=flavor, topology=topology, pool=pool)
    for topology, flavor in sorted(topologies.items()):
        named_at = fleet.flavors[flavor].at("topology")
        yield topology_manifest(unit, dialect, topology, level_labels(cluster), levels_origin(cluster), named_at)


def _local_queues(fleet: Fleet, jobs: Dispatches, unit: Unit, dialect: Dialect, cluster: Cluster) -> Iterator[Manifest]:
    known = set(_tenants_on(fleet, cluster))
    for (place, namespace, name), tenant in jobs.local_queues.items():
        if place == cluster.name and tenant in known:
            entity = fleet.tenants[tenant]
            index = entity.spec.namespaces.index(namespace)
            origin = entity.at("namespaces", index)
            yield local_queue(entity, unit, dialect, name=name, namespace=namespace, queue=tenant, origin=origin)


def _problems(fleet: Fleet, outside: Outside, cluster: Cluster) -> Iterator[Diagnostic]:
    for flavor in cluster.pools:
        yield from flavor_problems(fleet, cluster, flavor)
    if any(fleet.flavors[flavor].spec.topology is not None for flavor in cluster.pools):
        yield from topology_problems(cluster)
    for tenant in _tenants_on(fleet, cluster):
        rows = tenant_quotas(fleet, outside, tenant, cluster)
        what = f"the queue of tenant `{tenant}` on `{cluster.name}`"
        yield from group_problems(rows, what, fleet.tenants[tenant].at("quota"))
