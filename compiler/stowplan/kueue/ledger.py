"""The quota ledger: per pool what nodes have against what is promised of it, per tenant what is whose, per set the manager's."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from stowplan.model.fleet import Fleet
from stowplan.model.plan import PlacementPlan
from stowplan.passes.lower.kueue.amounts import accelerator_resource
from stowplan.passes.lower.kueue.dispatch import dispatches
from stowplan.passes.lower.kueue.manager import queue_totals
from stowplan.passes.lower.kueue.members import cohorts_above
from stowplan.passes.placement.quotas import queue_quota, quota_ledger

__all__ = ["PoolRow", "SetRow", "ledger_document", "pool_ledger", "set_ledger"]


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One flavor of one cluster, in accelerators.

    `capacity` is on the nodes; `services` run and `reserved` stand by outside the queues or for good; `queues` is the
    nominal quota of all ClusterQueues, `cohorts` that of cohorts themselves; `jobs` is what the plan runs through the
    queues. `promised` beyond `capacity` is quota that the nodes cannot give to all at once.
    """

    cluster: str
    flavor: str
    capacity: int
    services: int
    reserved: int
    queues: int
    cohorts: int
    jobs: int

    @property
    def promised(self) -> int:
        """Everything that somebody may count on: outside the queues, in reserve, and in them."""
        return self.outside + self.queues + self.cohorts

    @property
    def outside(self) -> int:
        """What services hold and reserve."""
        return self.services + self.reserved

    @property
    def overcommitted(self) -> int:
        """Promises beyond the nodes."""
        return max(0, self.promised - self.capacity)


@dataclass(frozen=True, slots=True)
class SetRow:
    """One candidate set of the manager: accelerators of its own by the manager's flavor name."""

    name: str
    tenant: str
    clusters: tuple[str, ...]
    flavor: str
    nominal: int
    borrowing_limit: int | None


def pool_ledger(fleet: Fleet, plan: PlacementPlan) -> tuple[PoolRow, ...]:
    """Every pool of every member, by cluster and flavor. Workspaces count in the queues that their users' pods go through."""
    services: dict[tuple[str, str], int] = {}
    reserved: dict[tuple[str, str], int] = {}
    jobs: dict[tuple[str, str], int] = {}
    for placement in plan.placements.values():
        book = services if placement.kind == "InferenceIntent" else jobs
        for a in placement.assignments:
            key = (a.cluster, a.flavor)
            book[key] = book.get(key, 0) + a.accelerators
            if placement.kind == "InferenceIntent":
                reserved[key] = reserved.get(key, 0) + a.reserved
    queues: dict[tuple[str, str], int] = {}
    for row in quota_ledger(fleet, plan):
        queues[row.cluster, row.flavor] = queues.get((row.cluster, row.flavor), 0) + row.queue
    tenants: dict[str, set[str]] = {}
    for tenant, name, _ in fleet.quotas:
        tenants.setdefault(name, set()).add(tenant)
    made = []
    for cluster in fleet.members:
        cohorts = cohorts_above(fleet, sorted(tenants.get(cluster.name, ())))
        for flavor, pool in cluster.pools.items():
            key = (cluster.name, flavor)
            own = sum(_cohort_nominal(fleet, cohort, cluster.name, flavor) for cohort in cohorts)
            made.append(
                PoolRow(
                    cluster.name, flavor, pool.total_accelerators, services.get(key, 0), reserved.get(key, 0),
                    queues.get(key, 0), own, jobs.get(key, 0),
                )
            )  # fmt: skip
    return tuple(made)


def _cohort_nominal(fleet: Fleet, cohort: str, cluster: str, flavor: str) -> int:
    rows = {row.cluster: row.nominal for row in fleet.cohorts[cohort].spec.quota if row.flavor == flavor}
    return rows.get(cluster, rows.get("*", 0))


def set_ledger(fleet: Fleet, plan: PlacementPlan) -> tuple[SetRow, ...]:
    """The manager's rows: each worker's quota stands in one set of a tenant only."""
    jobs = dispatches(fleet, plan)
    made = []
    for name, rows in queue_totals(fleet, queue_quota(plan), jobs).items():
        candidates = jobs.sets[name]
        for row in rows:
            flavor = next((f for f in fleet.flavors if row.flavor == f or row.flavor.startswith(f"{f}-")), row.flavor)
            names = (
                {accelerator_resource(fleet, flavor, c) for c in candidates.clusters} if flavor in fleet.flavors else {}
            )
            resources = [resource for resource in names if resource is not None]
            if not resources:
                continue
            limit = None if row.borrowing is None else sum(int(row.borrowing.get(r, 0)) for r in resources)
            nominal = sum(int(row.nominal.get(r, 0)) for r in resources)
            made.append(SetRow(name, candidates.tenant, candidates.clusters, row.flavor, nominal, limit))
    return tuple(made)


def ledger_document(fleet: Fleet, plan: PlacementPlan) -> dict[str, Any]:
    """The ledger as plan.json holds it, all in accelerators."""
    pools = [
        {**_named(row, "cluster", "flavor"), "promised": row.promised, "overcommitted": row.overcommitted}
        for row in pool_ledger(fleet, plan)
    ]
    tenants = [_named(row, "tenant", "cluster", "flavor") for row in quota_ledger(fleet, plan)]
    sets = [
        {
            "set": row.name, "tenant": row.tenant, "clusters": list(row.clusters), "flavor": row.flavor,
            "nominal": row.nominal, "borrowingLimit": row.borrowing_limit,
        }
        for row in set_ledger(fleet, plan)
    ]  # fmt: skip
    return {"quota": {"pools": pools, "tenants": tenants, "candidateSets": sets}}


def _named(row: Any, *first: str) -> dict[str, Any]:
    fields = asdict(row)
    return {name: fields[name] for name in (*first, *(n for n in fields if n not in first))}
