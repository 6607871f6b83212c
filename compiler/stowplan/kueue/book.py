"""Quota of rendered queues and cohorts, resource by resource, with the arithmetic of Kueue's resource nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from stowplan.kueue.tree import Side, amount_of, spec_of
from stowplan.model.rendered import RenderedObject

__all__ = ["Cell", "Node", "QueueBook"]

Cell = tuple[str, str]
"""A flavor and a resource."""


@dataclass(slots=True)
class _Quota:
    nominal: Fraction = Fraction(0)
    borrowing: Fraction | None = None
    lending: Fraction | None = None


@dataclass(slots=True)
class Node:
    """A ClusterQueue or Cohort: its quota and usage by cell, and those of everything below it (`subtree`)."""

    name: str
    parent: Node | None = None
    quotas: dict[Cell, _Quota] = field(default_factory=dict)
    subtree: dict[Cell, Fraction] = field(default_factory=dict)
    usage: dict[Cell, Fraction] = field(default_factory=dict)

    def nominal(self, cell: Cell) -> Fraction:
        """The node's own quota."""
        quota = self.quotas.get(cell)
        return quota.nominal if quota is not None else Fraction(0)

    def local(self, cell: Cell) -> Fraction:
        """What is never lent."""
        quota = self.quotas.get(cell)
        if quota is None or quota.lending is None:
            return Fraction(0)
        return max(Fraction(0), self.subtree.get(cell, Fraction(0)) - quota.lending)

    def potential(self, cell: Cell) -> Fraction:
        """What could be had if nobody used anything."""
        mine = self.subtree.get(cell, Fraction(0))
        if self.parent is None:
            return mine
        reachable = self.local(cell) + self.parent.potential(cell)
        quota = self.quotas.get(cell)
        if quota is not None and quota.borrowing is not None:
            return min(reachable, mine + quota.borrowing)
        return reachable

    def available(self, cell: Cell) -> Fraction:
        """What can be had now."""
        mine, used = self.subtree.get(cell, Fraction(0)), self.usage.get(cell, Fraction(0))
        if self.parent is None:
            return mine - used
        above = self.parent.available(cell)
        quota, local = self.quotas.get(cell), self.local(cell)
        if quota is not None and quota.borrowing is not None:
            above = min(mine - local - max(Fraction(0), used - local) + quota.borrowing, above)
        return max(Fraction(0), local - used) + above

    def use(self, cell: Cell, amount: Fraction) -> None:
        """Books an amount; what exceeds the local quota is booked above too."""
        used, local = self.usage.get(cell, Fraction(0)), self.local(cell)
        free = max(Fraction(0), local - used)
        self.usage[cell] = used + amount
        if self.parent is not None and amount > free:
            self.parent.use(cell, amount - free)

    def release(self, cell: Cell, amount: Fraction) -> None:
        """Takes a booking back."""
        used, local = self.usage.get(cell, Fraction(0)), self.local(cell)
        beyond = min(amount, max(Fraction(0), used - local))
        self.usage[cell] = used - amount
        if self.parent is not None and beyond > 0:
            self.parent.release(cell, beyond)

    def borrows(self, cell: Cell, amount: Fraction) -> bool:
        """Whether so much more is beyond the nominal quota."""
        return self.usage.get(cell, Fraction(0)) + amount > self.nominal(cell)


class QueueBook:
    """All queues of one API server."""

    def __init__(self, side: Side) -> None:
        """Builds the tree; a cohort that is only named has no quota of its own."""
        self._cohorts: dict[str, Node] = {}
        self.queues: dict[str, Node] = {}
        for name in side.cohorts:
            self._cohort(side, name, ())
        for name, made in side.queues.items():
            spec = spec_of(made)
            above = spec.get("cohortName") or spec.get("cohort")
            parent = self._cohort(side, str(above), ()) if above else None
            self.queues[name] = Node(name, parent, dict(_quotas(made)))
        self._sum()

    def _cohort(self, side: Side, name: str, path: tuple[str, ...]) -> Node:
        if name in self._cohorts:
            return self._cohorts[name]
        made = side.cohorts.get(name)
        above = spec_of(made).get("parentName") if made is not None else None
        parent = self._cohort(side, str(above), (*path, name)) if above and above not in (*path, name) else None
        node = Node(name, parent, dict(_quotas(made)) if made is not None else {})
        self._cohorts[name] = node
        return node

    def _sum(self) -> None:
        def depth(node: Node) -> int:
            return 0 if node.parent is None else 1 + depth(node.parent)

        everything = [*self.queues.values(), *self._cohorts.values()]
        for node in everything:
            node.subtree = {cell: quota.nominal for cell, quota in node.quotas.items()}
        cohorts = sorted(self._cohorts.values(), key=lambda n: (-depth(n), n.name))
        for node in (*self.queues.values(), *cohorts):
            if node.parent is None:
                continue
            for cell, amount in node.subtree.items():
                node.parent.subtree[cell] = node.parent.subtree.get(cell, Fraction(0)) + amount - node.local(cell)


def _quotas(made: RenderedObject) -> Iterator[tuple[Cell, _Quota]]:
    for group in spec_of(made).get("resourceGroups") or []:
        for flavor in group.get("flavors") or []:
            for row in flavor.get("resources") or []:
                cell = (str(flavor.get("name")), str(row.get("name")))
                yield (
                    cell,
                    _Quota(
                        amount_of(row.get("nominalQuota")) or Fraction(0),
                        amount_of(row.get("borrowingLimit")),
                        amount_of(row.get("lendingLimit")),
                    ),
                )
