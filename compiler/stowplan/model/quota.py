"""Quota in the borrowing tree of one flavor in one cluster, with the arithmetic of Kueue's resource nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stowplan.model.fleet import Fleet

__all__ = ["QuotaNode", "QuotaTree"]


@dataclass(slots=True)
class QuotaNode:
    """A ClusterQueue (a tenant) or a cohort; accelerators throughout, None for a limit that is not set."""

    name: str
    parent: QuotaNode | None
    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None
    subtree: int = 0
    usage: int = 0

    @property
    def local(self) -> int:
        """Quota that is never lent."""
        return 0 if self.lending_limit is None else max(0, self.subtree - self.lending_limit)

    def potential(self) -> int:
        """What could be had if nobody used anything."""
        if self.parent is None:
            return self.subtree
        available = self.local + self.parent.potential()
        return available if self.borrowing_limit is None else min(available, self.subtree + self.borrowing_limit)

    def available(self) -> int:
        """What can be had now."""
        if self.parent is None:
            return self.subtree - self.usage
        from_parent = self.parent.available()
        if self.borrowing_limit is not None:
            stored = self.subtree - self.local
            used = max(0, self.usage - self.local)
            from_parent = min(stored - used + self.borrowing_limit, from_parent)
        return max(0, self.local - self.usage) + from_parent

    def use(self, amount: int) -> None:
        """Books `amount`; what exceeds the local quota is booked with the parent too."""
        local_free = max(0, self.local - self.usage)
        self.usage += amount
        if self.parent is not None and amount > local_free:
            self.parent.use(amount - local_free)


class QuotaTree:
    """The tree for one (cluster, flavor): tenants that have a quota row there, and the cohorts above them."""

    def __init__(self, fleet: Fleet, cluster: str, flavor: str, held: Mapping[str, int] | None = None) -> None:
        """Builds it; `held` is what each tenant's services hold outside the queues, taken off its nominal quota."""
        self._cohorts: dict[str, QuotaNode] = {}
        self.tenants: dict[str, QuotaNode] = {}
        for tenant in fleet.tenants.values():
            fact = fleet.quotas.get((tenant.name, cluster, flavor))
            if fact is None:
                continue
            parent = self._cohort(fleet, tenant.spec.cohort, cluster, flavor) if tenant.spec.cohort else None
            nominal = max(0, fact.nominal - (held or {}).get(tenant.name, 0))
            node = QuotaNode(tenant.name, parent, nominal, fact.borrowing_limit, fact.lending_limit)
            self.tenants[tenant.name] = node
        self._sum()

    def _cohort(self, fleet: Fleet, name: str, cluster: str, flavor: str) -> QuotaNode:
        if name in self._cohorts:
            return self._cohorts[name]
        spec = fleet.cohorts[name].spec
        rows = [row for row in spec.quota if row.flavor == flavor and row.cluster in ("*", cluster)]
        row = next((r for r in rows if r.cluster == cluster), rows[0] if rows else None)
        parent = self._cohort(fleet, spec.parent, cluster, flavor) if spec.parent else None
        node = QuotaNode(
            name,
            parent,
            row.nominal if row else 0,
            row.borrowing_limit if row else None,
            row.lending_limit if row else None,
        )
        self._cohorts[name] = node
        return node

    def _sum(self) -> None:
        """Subtree quotas from the leaves up; a cohort is made after its parent, so the reverse order is right."""
        for node in self.tenants.values():
            node.subtree = node.nominal
            if node.parent is not None:
                node.parent.subtree += node.subtree - node.local
        for cohort in reversed(self._parents_first()):
            cohort.subtree += cohort.nominal
            if cohort.parent is not None:
                cohort.parent.subtree += cohort.subtree - cohort.local

    def _parents_first(self) -> list[QuotaNode]:
        def depth(node: QuotaNode) -> int:
            return 0 if node.parent is None else 1 + depth(node.parent)

        return sorted(self._cohorts.values(), key=lambda node: (depth(node), node.name))
