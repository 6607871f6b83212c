"""Puts workloads into classes of equal needs, and all predicates to each class, cluster, and flavor."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from types import MappingProxyType
from typing import Any, Protocol

from stowplan.model.eligibility import Reason
from stowplan.model.fleet import Fleet
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.context import ClusterCase, Held, PoolCase
from stowplan.passes.eligibility.matrix import EligibilityMatrix
from stowplan.passes.eligibility.questions import CLUSTER_QUESTIONS, POOL_QUESTIONS, Question
from stowplan.passes.eligibility.sieve import Sieve

__all__ = ["PolicyPredicate", "check_eligibility"]


class PolicyPredicate(Protocol):
    """The `policy` predicate: placement policies, compiled once."""

    reads_identity: bool
    """Whether a rule reads what differs between workloads of equal needs (name, labels, annotations)."""

    def reads_of(self, fleet: Fleet, workload: Workload) -> Hashable:
        """What the rules read of a workload and its tenant: equal readings, equal answers in every place."""
        ...

    def cluster_reasons(self, case: ClusterCase) -> Iterator[Reason]:
        """Rules that fail for the cluster as a whole."""
        ...

    def pool_reasons(self, case: PoolCase) -> Iterator[Reason]:
        """Rules that read `flavor` and fail for it."""
        ...


def check_eligibility(
    fleet: Fleet, workloads: Iterable[Workload], held: Held, policy: PolicyPredicate | None = None
) -> EligibilityMatrix:
    """The matrix for these workloads; `held` is what services hold (empty when judging the services themselves).

    `held` must not change afterwards: reasons are made when they are read.
    """
    class_of: dict[str, str] = {}
    first_of: dict[Any, Workload] = {}
    firsts: dict[str, Workload] = {}
    for workload in workloads:
        first = first_of.setdefault(_class_key(workload, policy), workload)
        class_of[workload.name] = first.name
        firsts[first.name] = first
    on_cluster, on_pool = CLUSTER_QUESTIONS, POOL_QUESTIONS
    if policy is not None:
        on_cluster = (*on_cluster, Question(policy.cluster_reasons, policy.reads_of))
        on_pool = (*on_pool, Question(policy.pool_reasons, policy.reads_of))
    return EligibilityMatrix(MappingProxyType(class_of), firsts, Sieve(fleet, held, on_cluster, on_pool))


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
