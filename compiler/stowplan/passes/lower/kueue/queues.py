"""ClusterQueues, LocalQueues, and Cohorts, in the dialect of the cluster they are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.fleet import CohortSpec, FairSharing
from stowplan.model.inputs.tenant import Queueing, TenantSpec
from stowplan.model.manifest import Manifest, Unit
from stowplan.model.quantity import format_quantity, parse_quantity
from stowplan.model.times import parse_time
from stowplan.passes.lower.kueue.dialect import Dialect
from stowplan.passes.lower.kueue.groups import FlavorQuota, resource_groups
from stowplan.source.span import Origin

__all__ = ["cluster_queue", "cohort_manifest", "local_queue", "stop_policy", "weight_of"]

_BETA1_BORROW = {"MayStopSearch": "Borrow", "TryNextFlavor": "TryNextFlavor"}
_BETA1_PREEMPT = {"MayStopSearch": "Preempt", "TryNextFlavor": "TryNextFlavor"}
_STOPS = ("None", "Hold", "HoldAndDrain")


def weight_of(sharing: FairSharing | None) -> str | None:
    """The weight as a canonical quantity."""
    return None if sharing is None else format_quantity(parse_quantity(format(sharing.weight, "f")))


def stop_policy(fleet: Fleet, cluster: Cluster, tenant: Entity[TenantSpec] | None = None) -> str:
    """What the queues of a cluster do now: hold in an open maintenance window, drain where the window says so.

    The tenant's own `stop` counts too; the stricter wins.
    """
    strictest = 0 if tenant is None else _STOPS.index(tenant.spec.queueing.stop)
    for window in cluster.spec.maintenance:
        if parse_time(window.from_) <= fleet.as_of < parse_time(window.until):
            strictest = max(strictest, 2 if window.drain else 1)
    return _STOPS[strictest]


def cluster_queue(
    tenant: Entity[TenantSpec],
    unit: Unit,
    dialect: Dialect,
    *,
    name: str,
    cohort: str | None,
    quotas: Sequence[FlavorQuota],
    stop: str,
    checks: Sequence[Mapping[str, Any]] = (),
    origins: Mapping[Any, Origin] | None = None,
) -> Manifest:
    """One tenant's ClusterQueue."""
    queueing = tenant.spec.queueing
    variables = {
        "api_version": dialect.api_version,
        "name": name,
        "tenant": tenant.name,
        "cohort_field": "cohortName" if dialect.is_beta2 else "cohort",
        "cohort": cohort,
        "strategy": queueing.strategy,
        "fungibility": _fungibility(queueing, dialect),
        "preemption": _preemption(queueing, in_cohort=cohort is not None),
        "weight": weight_of(tenant.spec.fair_sharing),
        "checks": [dict(check) for check in checks],
        "stop": stop,
        "groups": resource_groups(quotas),
    }
    places = {
        (): tenant.origin,
        ("name",): tenant.name_origin,
        ("tenant",): tenant.name_origin,
        ("cohort",): tenant.at("cohort"),
        ("weight",): tenant.at("fairSharing", "weight"),
        ("strategy",): tenant.at("queueing", "strategy"),
        ("fungibility",): tenant.at("queueing", "fungibility"),
        ("preemption",): tenant.at("queueing", "preemption"),
        ("groups",): tenant.at("quota"),
        **(origins or {}),
    }
    return Manifest(unit, "kueue/clusterqueue", variables, places, f"tenant/{tenant.name}")


def _fungibility(queueing: Queueing, dialect: Dialect) -> dict[str, str]:
    given = queueing.fungibility
    if not dialect.is_beta2:
        return {
            "whenCanBorrow": _BETA1_BORROW[given.when_can_borrow],
            "whenCanPreempt": _BETA1_PREEMPT[given.when_can_preempt],
        }
    made: dict[str, str] = {"whenCanBorrow": given.when_can_borrow, "whenCanPreempt": given.when_can_preempt}
    return {**made, "preference": given.preference} if given.preference is not None else made


def _preemption(queueing: Queueing, *, in_cohort: bool) -> dict[str, Any]:
    """Without a cohort there is nobody to reclaim from."""
    given = queueing.preemption
    borrow: dict[str, Any] = {"policy": given.borrow.policy if in_cohort else "Never"}
    if in_cohort and given.borrow.max_priority is not None:
        borrow["maxPriorityThreshold"] = given.borrow.max_priority
    return {
        "reclaimWithinCohort": given.reclaim if in_cohort else "Never",
        "withinClusterQueue": given.within_queue,
        "borrowWithinCohort": borrow,
    }


def local_queue(
    tenant: Entity[TenantSpec],
    unit: Unit,
    dialect: Dialect,
    *,
    name: str,
    namespace: str,
    queue: str,
    origin: Origin,
    chosen_at: Origin | None = None,
) -> Manifest:
    """One LocalQueue in a namespace of the tenant, before a ClusterQueue that was chosen at `chosen_at`."""
    variables = {
        "api_version": dialect.api_version,
        "name": name,
        "namespace": namespace,
        "tenant": tenant.name,
        "queue": queue,
        "stop": "None",
    }
    queue_at = chosen_at or tenant.name_origin
    origins = {(): origin, ("name",): origin, ("tenant",): tenant.name_origin, ("queue",): queue_at}
    return Manifest(unit, "kueue/localqueue", variables, origins, f"tenant/{tenant.name}")


def cohort_manifest(
    cohort: Entity[CohortSpec],
    unit: Unit,
    dialect: Dialect,
    *,
    name: str,
    parent: str | None,
    quotas: Sequence[FlavorQuota],
) -> Manifest:
    """One node of the borrowing tree."""
    spec: dict[str, Any] = {}
    weight = weight_of(cohort.spec.fair_sharing)
    if parent is not None:
        spec["parentName"] = parent
    if weight is not None:
        spec["fairSharing"] = {"weight": weight}
    if quotas:
        spec["resourceGroups"] = resource_groups(quotas)
    variables = {"api_version": dialect.api_version, "name": name, "spec": spec}
    origins = {
        (): cohort.origin,
        ("name",): cohort.name_origin,
        ("spec", "parentName"): cohort.at("parent"),
        ("spec", "fairSharing"): cohort.at("fairSharing"),
        ("spec", "resourceGroups"): cohort.at("quota"),
    }
    return Manifest(unit, "kueue/cohort", variables, origins, f"cohort/{cohort.name}")
