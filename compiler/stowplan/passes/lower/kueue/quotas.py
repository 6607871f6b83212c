"""A tenant's quota on a cluster, flavor by flavor in order of preference, in every resource that the nodes have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stowplan.model.fleet import Cluster, Fleet
from stowplan.passes.lower.kueue.amounts import Shape, shape_of
from stowplan.passes.lower.kueue.groups import FlavorQuota
from stowplan.source.span import Origin

__all__ = ["Outside", "QuotaBasis", "flavor_order", "queue_nominal", "quota_origins"]

Outside = Mapping[tuple[str, str], Mapping[str, int]]
"""Accelerators that run outside Kueue, by (cluster, flavor) and tenant."""

_CAPACITY_ORDER = {"reserved": 0, "on-demand": 1, "spot": 2}


def flavor_order(fleet: Fleet, tenant: str, cluster: Cluster) -> list[str]:
    """Flavors that the tenant has quota of and the cluster has nodes of, the preferred first.

    As the tenant's `flavorOrder` says; the rest by capacity type (what is paid for anyway first), price, and name.
    """
    wanted = fleet.tenants[tenant].spec.queueing.flavor_order

    def rank(flavor: str) -> tuple[int, int, float, str]:
        price = cluster.pools[flavor].price
        stated = wanted.index(flavor) if flavor in wanted else len(wanted)
        kind = _CAPACITY_ORDER[fleet.flavors[flavor].spec.capacity_type]
        return stated, kind, price.per_accelerator_hour if price else 0.0, flavor

    mine = [f for f in cluster.pools if (tenant, cluster.name, f) in fleet.quotas and f in fleet.flavors]
    return sorted(mine, key=rank)


def queue_nominal(fleet: Fleet, outside: Outside, tenant: str, cluster: str, flavor: str) -> int:
    """Nominal quota of the ClusterQueue: the tenant's, less what it runs outside Kueue; never below nothing."""
    fact = fleet.quotas[tenant, cluster, flavor]
    return max(0, fact.nominal - outside.get((cluster, flavor), {}).get(tenant, 0))


class QuotaBasis:
    """Quota in all resources, worked out once for each tenant and cluster."""

    def __init__(self, fleet: Fleet, outside: Outside) -> None:
        """`outside` is what runs outside Kueue."""
        self._fleet, self._outside = fleet, outside
        self._shapes: dict[tuple[str, str], Shape] = {}
        self._rows: dict[tuple[str, str], tuple[FlavorQuota, ...]] = {}
        self._tenants: dict[str, list[str]] = {}
        for tenant, cluster, flavor in fleet.quotas:
            known = self._tenants.setdefault(cluster, [])
            if flavor in fleet.clusters[cluster].pools and tenant not in known:
                known.append(tenant)

    def tenants(self, cluster: str) -> list[str]:
        """Tenants with quota of a flavor that the cluster has, by name."""
        return self._tenants.get(cluster, [])

    def shape(self, cluster: Cluster, flavor: str) -> Shape:
        """What comes with one accelerator."""
        key = (cluster.name, flavor)
        if key not in self._shapes:
            self._shapes[key] = shape_of(self._fleet, cluster.pools[flavor])
        return self._shapes[key]

    def rows(self, tenant: str, cluster: Cluster) -> tuple[FlavorQuota, ...]:
        """The rows of the tenant's ClusterQueue, in order of preference."""
        key = (tenant, cluster.name)
        if key not in self._rows:
            self._rows[key] = tuple(self._made(tenant, cluster))
        return self._rows[key]

    def _made(self, tenant: str, cluster: Cluster) -> Iterator[FlavorQuota]:
        has_cohort = self._fleet.tenants[tenant].spec.cohort is not None
        for flavor in flavor_order(self._fleet, tenant, cluster):
            fact = self._fleet.quotas[tenant, cluster.name, flavor]
            nominal = queue_nominal(self._fleet, self._outside, tenant, cluster.name, flavor)
            lending = None if fact.lending_limit is None else min(fact.lending_limit, nominal)
            shape = self.shape(cluster, flavor)
            yield _row(flavor, shape, nominal, fact.borrowing_limit, lending, limits=has_cohort)

    def cohort_rows(self, cohort: str, cluster: Cluster) -> list[FlavorQuota]:
        """The cohort's own quota on the cluster; rows that name the cluster win over `*` rows."""
        spec = self._fleet.cohorts[cohort].spec
        rows = {row.flavor: row for row in spec.quota if row.cluster == "*"}
        rows.update({row.flavor: row for row in spec.quota if row.cluster == cluster.name})
        made = []
        for flavor in sorted(rows):
            if flavor in cluster.pools:
                row, shape = rows[flavor], self.shape(cluster, flavor)
                has_parent = spec.parent is not None
                made.append(_row(flavor, shape, row.nominal, row.borrowing_limit, row.lending_limit, limits=has_parent))
        return made


def _row(
    flavor: str, shape: Shape, nominal: int, borrowing: int | None, lending: int | None, *, limits: bool
) -> FlavorQuota:
    return FlavorQuota(
        flavor,
        shape.amounts(nominal),
        shape.amounts(borrowing) if limits and borrowing is not None else None,
        shape.amounts(lending) if limits and lending is not None else None,
    )


def quota_origins(fleet: Fleet, tenant: str, cluster: Cluster) -> dict[tuple[str | int, ...], Origin]:
    """Where each flavor's numbers were stated, by the place they have in the manifest's variables."""
    origins: dict[tuple[str | int, ...], Origin] = {}
    for index, flavor in enumerate(flavor_order(fleet, tenant, cluster)):
        origins["groups", 0, "flavors", index] = fleet.quotas[tenant, cluster.name, flavor].origin
    return origins
