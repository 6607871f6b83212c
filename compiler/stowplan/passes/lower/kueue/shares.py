"""The manager's quota without double counting: which set stands for which worker's quota, and who shares with whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stowplan.model.fleet import Fleet
from stowplan.passes.lower.kueue.dispatch import CandidateSet
from stowplan.passes.lower.kueue.groups import FlavorQuota
from stowplan.passes.lower.kueue.names import joined_name
from stowplan.passes.lower.kueue.quotas import QuotaBasis

__all__ = ["Component", "components_of", "home_clusters", "lendable"]


@dataclass(frozen=True, slots=True)
class Component:
    """Sets that share clusters, directly or through others: their queues share one borrowing tree on the manager."""

    name: str
    clusters: tuple[str, ...]
    sets: tuple[CandidateSet, ...]

    @property
    def tenants(self) -> tuple[str, ...]:
        """Tenants with a set here."""
        return tuple(sorted({s.tenant for s in self.sets}))

    def tenants_at(self, cluster: str) -> frozenset[str]:
        """Tenants whose quota on the cluster some set of theirs stands for."""
        return frozenset(s.tenant for s in self.sets if cluster in s.clusters)

    def cohort(self, name: str) -> str:
        """The manager's name of a cohort here."""
        return joined_name((name, self.name))

    def cohort_of(self, fleet: Fleet, tenant: str) -> str | None:
        """The cohort of the tenant's queues: its own; else one of its own making where it has several sets here."""
        cohort = fleet.tenants[tenant].spec.cohort
        if cohort is not None:
            return self.cohort(cohort)
        alone = sum(s.tenant == tenant for s in self.sets) == 1
        return None if alone else joined_name(("tenant", tenant, self.name))


def components_of(sets: Iterable[CandidateSet]) -> tuple[Component, ...]:
    """Connected sets, by the name of their first cluster."""
    remaining = sorted(sets, key=lambda s: s.name)
    made = []
    while remaining:
        clusters = set(remaining[0].clusters)
        grown = True
        while grown:
            mine = [s for s in remaining if clusters.intersection(s.clusters)]
            wider = clusters.union(*(s.clusters for s in mine))
            grown, clusters = wider != clusters, wider
        mine = [s for s in remaining if clusters.intersection(s.clusters)]
        remaining = [s for s in remaining if s not in mine]
        names = tuple(sorted(clusters))
        made.append(Component(names[0], names, tuple(mine)))
    return tuple(sorted(made, key=lambda c: c.name))


def home_clusters(sets: Iterable[CandidateSet], mine: CandidateSet) -> set[str]:
    """Clusters whose quota this set stands for: each cluster belongs to the tenant's smallest set that names it."""
    others = [s for s in sets if s.tenant == mine.tenant]
    return {
        cluster
        for cluster in mine.clusters
        if mine is min((s for s in others if cluster in s.clusters), key=lambda s: (len(s.clusters), s.name))
    }


def lendable(
    fleet: Fleet, basis: QuotaBasis, cohort: str, cluster: str, present: frozenset[str]
) -> tuple[FlavorQuota, ...]:
    """What tenants of the cohort without a set for the cluster could lend there, flavor by flavor."""
    rows = []
    for tenant, entity in fleet.tenants.items():
        if entity.spec.cohort != cohort or tenant in present:
            continue
        for row in basis.rows(tenant, fleet.clusters[cluster]):
            offered = row.nominal if row.lending is None else row.lending
            if any(offered.values()):
                rows.append(FlavorQuota(row.flavor, offered))
    return tuple(rows)
