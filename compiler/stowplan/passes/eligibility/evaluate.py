"""Runs all predicates for every class of equal needs, cluster, and flavor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, Protocol

from stowplan.model.eligibility import ClassVerdict, EligibilityMatrix, Reason
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.context import ClusterCase, Held, PoolCase
from stowplan.passes.eligibility.predicates import data, devices, money, room, site, software

__all__ = ["PolicyPredicate", "check_eligibility"]

_CLUSTER_PREDICATES = (*site.CLUSTER_PREDICATES, *software.CLUSTER_PREDICATES, *data.CLUSTER_PREDICATES)
_POOL_PREDICATES = (*devices.POOL_PREDICATES, *room.POOL_PREDICATES, site.taint, money.budget)


class PolicyPredicate(Protocol):
    """The `policy` predicate: placement policies, compiled once."""

    reads_identity: bool
    """Whether a rule reads what differs between workloads of equal needs (name, labels, annotations)."""

    def cluster_reasons(self, case: ClusterCase) -> Iterator[Reason]:
        """Rules that fail for the cluster as a whole."""
        ...

    def pool_reasons(self, case: PoolCase) -> Iterator[Reason]:
        """Rules that read `flavor` and fail for it."""
        ...


def check_eligibility(
    fleet: Fleet, workloads: Iterable[Workload], held: Held, policy: PolicyPredicate | None = None
) -> EligibilityMatrix:
    """The matrix for these workloads; `held` is what services hold (empty when judging the services themselves)."""
    class_of: dict[str, str] = {}
    verdicts: dict[str, tuple[ClassVerdict, ...]] = {}
    first_of: dict[Any, str] = {}
    members = fleet.members
    for workload in workloads:
        key = _class_key(workload, policy)
        first = first_of.setdefault(key, workload.name)
        class_of[workload.name] = first
        if first == workload.name:
            verdicts[first] = tuple(_judge(fleet, workload, cluster, held, policy) for cluster in members)
    return EligibilityMatrix(MappingProxyType(class_of), MappingProxyType(verdicts))


def _class_key(workload: Workload, policy: PolicyPredicate | None) -> Any:
    """Equal keys mean equal needs: everything a predicate may read, and nothing that only names the workload."""
    spec = workload.entity.spec
    if policy is not None and policy.reads_identity:
        return workload.name
    needs = spec.model_dump(exclude=_IRRELEVANT, warnings=False)
    return (workload.kind, workload.tenant, workload.namespace, workload.priority, workload.dispatch, _frozen(needs))


_IRRELEVANT = {
    "command",
    "env",
    "output",
    "attempts",
    "failover",
    "options",
    "on_unplaced",
    "state",
    "deadline",
    "served_name",
    "slo",
    "cold_start",
    "prewarm",
    "scaling",
    "hours",
    "idle_reclaim",
}
"""Fields that no predicate reads."""


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((k, _frozen(v)) for k, v in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return value


def _judge(
    fleet: Fleet, workload: Workload, cluster: Cluster, held: Held, policy: PolicyPredicate | None
) -> ClassVerdict:
    case = ClusterCase(fleet, workload, cluster, held)
    reasons = [found for predicate in _CLUSTER_PREDICATES for found in predicate(case)]
    if policy is not None:
        reasons.extend(policy.cluster_reasons(case))
    by_flavor: dict[str, tuple[Reason, ...]] = {}
    for flavor, pool in cluster.pools.items():
        pool_case = PoolCase(fleet, workload, cluster, held, pool)
        found = [r for predicate in _POOL_PREDICATES for r in predicate(pool_case)]
        if policy is not None:
            found.extend(policy.pool_reasons(pool_case))
        by_flavor[flavor] = tuple(found)
    return ClassVerdict(cluster.name, tuple(reasons), MappingProxyType(by_flavor))
