"""The quota ledger: for every tenant, cluster, and flavor what is nominal, held, used, and reachable."""

from __future__ import annotations

from dataclasses import dataclass

from stowplan.model.fleet import Fleet
from stowplan.model.plan import PlacementPlan
from stowplan.model.quota import QuotaTree

__all__ = ["QuotaRow", "queue_quota", "quota_ledger"]


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """Accelerators. `queue` is the nominal quota of the rendered ClusterQueue: `nominal` less `outside`.

    `services` and `reserved` are what services hold; `outside` is the part of it that runs outside Kueue (inference
    and its reserve; workspaces go through the queue); `jobs` is what jobs use, `reachable` what the queue could get
    with borrowing if nobody else used anything.
    """

    tenant: str
    cluster: str
    flavor: str
    nominal: int
    services: int
    reserved: int
    outside: int
    queue: int
    jobs: int
    reachable: int


def queue_quota(plan: PlacementPlan) -> dict[tuple[str, str], dict[str, int]]:
    """What runs outside Kueue, by (cluster, flavor) and tenant: inference with its reserve."""
    outside: dict[tuple[str, str], dict[str, int]] = {}
    for placement in plan.placements.values():
        if placement.kind == "InferenceIntent":
            for a in placement.assignments:
                held = outside.setdefault((a.cluster, a.flavor), {})
                held[placement.tenant] = held.get(placement.tenant, 0) + a.accelerators + a.reserved
    return outside


def quota_ledger(fleet: Fleet, plan: PlacementPlan) -> tuple[QuotaRow, ...]:
    """All rows, by tenant, cluster, and flavor."""
    outside = queue_quota(plan)
    services: dict[tuple[str, str, str], int] = {}
    reserved: dict[tuple[str, str, str], int] = {}
    jobs: dict[tuple[str, str, str], int] = {}
    for placement in plan.placements.values():
        is_service = placement.kind in ("InferenceIntent", "WorkspaceIntent")
        for a in placement.assignments:
            key = (placement.tenant, a.cluster, a.flavor)
            book = services if is_service else jobs
            book[key] = book.get(key, 0) + a.accelerators
            reserved[key] = reserved.get(key, 0) + a.reserved
    trees: dict[tuple[str, str], QuotaTree] = {}
    rows = []
    for (tenant, cluster, flavor), fact in fleet.quotas.items():
        place = (cluster, flavor)
        held = outside.get(place, {})
        tree = trees.get(place)
        if tree is None:
            tree = trees[place] = QuotaTree(fleet, cluster, flavor, held)
        key = (tenant, cluster, flavor)
        rows.append(
            QuotaRow(
                tenant=tenant,
                cluster=cluster,
                flavor=flavor,
                nominal=fact.nominal,
                services=services.get(key, 0),
                reserved=reserved.get(key, 0),
                outside=held.get(tenant, 0),
                queue=tree.tenants[tenant].nominal,
                jobs=jobs.get(key, 0),
                reachable=tree.tenants[tenant].potential(),
            )
        )
    return tuple(rows)
