"""A tenant's quota on each cluster and flavor: what it is, what services hold of it, what jobs use, what may be borrowed."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.kueue.ledger import PoolRow, pool_ledger, set_ledger
from stowplan.model.fleet import Fleet
from stowplan.model.plan import PlacementPlan
from stowplan.passes.placement.quotas import QuotaRow, quota_ledger

__all__ = ["explain_quota"]


def explain_quota(fleet: Fleet, plan: PlacementPlan, tenant: str, cluster: str | None = None) -> str | None:
    """A table; None where there is no such tenant or cluster."""
    if tenant not in fleet.tenants or (cluster is not None and cluster not in fleet.clusters):
        return None
    entity = fleet.tenants[tenant]
    pools = {(row.cluster, row.flavor): row for row in pool_ledger(fleet, plan)}
    lines = [f"quota/{tenant}: cohort {_path(fleet, entity.spec.cohort)}"]
    for row in quota_ledger(fleet, plan):
        if row.tenant == tenant and (cluster is None or row.cluster == cluster):
            lines.extend(_row(plan, row, pools.get((row.cluster, row.flavor))))
    if len(lines) == 1:
        lines.append("  no quota" + (f" on {cluster}" if cluster else ""))
    for made in set_ledger(fleet, plan):
        if made.tenant == tenant and (cluster is None or cluster in made.clusters):
            limit = "" if made.borrowing_limit is None else f", may borrow {made.borrowing_limit}"
            lines.append(
                f"  on the manager: set {made.name} ({' > '.join(made.clusters)}) has {made.nominal} of {made.flavor}{limit}"
            )
    return "\n".join(lines) + "\n"


def _path(fleet: Fleet, cohort: str | None) -> str:
    names = []
    while cohort is not None:
        names.append(cohort)
        cohort = fleet.cohorts[cohort].spec.parent
    return " < ".join(names) or "none"


def _row(plan: PlacementPlan, row: QuotaRow, pool: PoolRow | None) -> Iterator[str]:
    yield (
        f"  {row.cluster}/{row.flavor}: nominal {row.nominal}; services hold {row.services} and {row.reserved} in "
        f"reserve; the queue has {row.queue}; jobs use {row.jobs}; with borrowing {row.reachable} can be reached"
    )
    for placement in plan.placements.values():
        for a in placement.assignments:
            if placement.tenant == row.tenant and (a.cluster, a.flavor) == (row.cluster, row.flavor):
                reserve = f" + {a.reserved} in reserve" if a.reserved else ""
                where = "in the queue" if placement.kind != "InferenceIntent" else "outside the queue"
                yield f"    {placement.workload}: {a.accelerators}{reserve} ({placement.status}, {where})"
    if pool is None:
        yield f"    `{row.cluster}` has no nodes of {row.flavor}"
        return
    beyond = f", {pool.overcommitted} more than there are" if pool.overcommitted else ""
    yield (
        f"    nodes: {pool.capacity} accelerators; promised {pool.promised} (services {pool.services}, in reserve "
        f"{pool.reserved}, queues of all tenants {pool.queues}, cohorts {pool.cohorts}){beyond}"
    )
