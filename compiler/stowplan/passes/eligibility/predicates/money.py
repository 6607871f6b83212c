"""The predicate on money: one workload alone must not exceed its tenant's budget."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.model.eligibility import Predicate, Reason
from stowplan.passes.eligibility.context import PoolCase, reason
from stowplan.passes.estimate import estimate

__all__ = ["budget"]


def budget(case: PoolCase) -> Iterator[Reason]:
    """Expected cost against the budget of a month."""
    tenant = case.fleet.tenants[case.workload.tenant]
    limit = tenant.spec.budget
    if limit is None:
        return
    cost = estimate(case.fleet, case.workload, case.cluster, case.pool).cost
    if cost > limit.amount:
        currency = case.fleet.spec.currency
        yield reason(
            Predicate.BUDGET,
            f"would cost {cost:,.0f} {currency} on `{case.pool.flavor}`; the budget of tenant `{tenant.name}` is "
            f"{limit.amount:,.0f} a {limit.per}",
            (f"{cost:,.0f} {currency}", case.workload.entity.name_origin),
            (f"{limit.amount:,.0f} {currency}", tenant.at("budget", "amount")),
        )
