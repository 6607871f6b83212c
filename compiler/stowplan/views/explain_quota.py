"""A tenant's quota on each cluster and flavor: what it is, what services hold of it, what jobs use, what may be borrowed."""

from __future__ import annotations

from stowplan.model.fleet import Fleet
from stowplan.model.plan import PlacementPlan
from stowplan.passes.placement.quotas import quota_ledger

__all__ = ["explain_quota"]


def explain_quota(fleet: Fleet, plan: PlacementPlan, tenant: str, cluster: str | None = None) -> str | None:
    """A table; None where there is no such tenant."""
    if tenant not in fleet.tenants:
        return None
    entity = fleet.tenants[tenant]
    lines = [f"quota/{tenant}: cohort {entity.spec.cohort or 'none'}"]
    for row in quota_ledger(fleet, plan):
        if row.tenant == tenant and (cluster is None or row.cluster == cluster):
            lines.append(
                f"  {row.cluster}/{row.flavor}: nominal {row.nominal}; services hold {row.services} and {row.reserved} in "
                f"reserve; the queue has {row.queue}; jobs use {row.jobs}; with borrowing {row.reachable} can be reached"
            )
    if len(lines) == 1:
        lines.append("  no quota" + (f" on {cluster}" if cluster else ""))
    return "\n".join(lines) + "\n"
