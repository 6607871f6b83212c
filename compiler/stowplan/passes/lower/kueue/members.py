"""Kueue on the members: flavors, topologies, cohorts, queues, and priorities of every cluster that runs Kueue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    topology_name,
    topology_problems,
)
from stowplan.passes.lower.kueue.groups import group_problems
from stowplan.passes.lower.kueue.priorities import priority_manifests
from stowplan.passes.lower.kueue.provisioning import provisioning_checks, provisioning_manifests
from stowplan.passes.lower.kueue.queues import cluster_queue, cohort_manifest, local_queue, stop_policy
from stowplan.passes.lower.kueue.quotas import QuotaBasis, flavor_order, quota_origins
from stowplan.passes.lower.kueue.units import kueue_unit
from stowplan.passes.lower.targets import cluster_target

__all__ = ["cohorts_above", "lower_members"]


def lower_members(fleet: Fleet, basis: QuotaBasis, jobs: Dispatches) -> Outcome[tuple[Manifest, ...]]:
    """All members that run Kueue, by name."""
    manifests: list[Manifest] = []
    found: list[Diagnostic] = []
    local_queues: dict[str, dict[tuple[str, str], str]] = {}
    for (place, namespace, name), tenant in jobs.local_queues.items():
        local_queues.setdefault(place, {})[namespace, name] = tenant
    for cluster in fleet.members:
        dialect = dialect_of(cluster)
        if dialect is not None:
            found.extend(_problems(fleet, basis, cluster))
            manifests.extend(_member(fleet, basis, cluster, dialect))
            unit = kueue_unit(cluster_target(fleet, cluster.name))
            known = set(basis.tenants(cluster.name))
            manifests.extend(_local_queues(fleet, local_queues.get(cluster.name, {}), known, unit, dialect))
            manifests.extend(worker_access(fleet, jobs, unit, cluster))
    return Outcome(tuple(manifests), tuple(dict.fromkeys(found)))


def _member(fleet: Fleet, basis: QuotaBasis, cluster: Cluster, dialect: Dialect) -> Iterator[Manifest]:
    """One member: what does not depend on the jobs."""
    unit = kueue_unit(cluster_target(fleet, cluster.name))
    yield from _capacity(fleet, unit, dialect, cluster)
    yield from provisioning_manifests(fleet, unit, dialect, cluster)
    yield from priority_manifests(fleet, unit, dialect)
    tenants = basis.tenants(cluster.name)
    for cohort in cohorts_above(fleet, tenants):
        entity = fleet.cohorts[cohort]
        yield cohort_manifest(
            entity, unit, dialect, name=cohort, parent=entity.spec.parent, quotas=basis.cohort_rows(cohort, cluster)
        )
    for tenant in tenants:
        entity_ = fleet.tenants[tenant]
        yield cluster_queue(
            entity_,
            unit,
            dialect,
            name=tenant,
            cohort=entity_.spec.cohort,
            quotas=basis.rows(tenant, cluster),
            stop=stop_policy(fleet, cluster, entity_),
            checks=provisioning_checks(fleet, flavor_order(fleet, tenant, cluster)),
            origins=quota_origins(fleet, tenant, cluster),
        )


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
        topology = topology_name(fleet, cluster, flavor)
        if topology is not None:
            topologies.setdefault(topology, flavor)
        yield flavor_manifest(fleet, unit, dialect, flavor, name=flavor, topology=topology, pool=pool)
    for topology, flavor in sorted(topologies.items()):
        named_at = fleet.flavors[flavor].at("topology")
        yield topology_manifest(unit, dialect, topology, level_labels(cluster), levels_origin(cluster), named_at)


def _local_queues(
    fleet: Fleet, queues: Mapping[tuple[str, str], str], known: set[str], unit: Unit, dialect: Dialect
) -> Iterator[Manifest]:
    for (namespace, name), tenant in queues.items():
        if tenant in known:
            entity = fleet.tenants[tenant]
            origin = entity.at("namespaces", entity.spec.namespaces.index(namespace))
            yield local_queue(entity, unit, dialect, name=name, namespace=namespace, queue=tenant, origin=origin)


def _problems(fleet: Fleet, basis: QuotaBasis, cluster: Cluster) -> Iterator[Diagnostic]:
    for flavor in cluster.pools:
        yield from flavor_problems(fleet, cluster, flavor)
    if any(topology_name(fleet, cluster, flavor) is not None for flavor in cluster.pools):
        yield from topology_problems(cluster)
    for tenant in basis.tenants(cluster.name):
        rows = basis.rows(tenant, cluster)
        what = f"the queue of tenant `{tenant}` on `{cluster.name}`"
        yield from group_problems(rows, what, fleet.tenants[tenant].at("quota"))
