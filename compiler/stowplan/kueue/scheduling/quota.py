"""Quota of queues and cohorts, cell by cell, with the arithmetic of Kueue's resource nodes, in Kueue's whole units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Cell", "Node", "Quota", "sum_subtrees"]

Cell = tuple[str, str]
"""A flavor and a resource."""


@dataclass(frozen=True, slots=True)
class Quota:
    """What a node has of a cell: its own, and how much it may borrow and lend; None is no limit."""

    nominal: int = 0
    borrowing: int | None = None
    lending: int | None = None


@dataclass(slots=True, eq=False)
class Node:
    """A ClusterQueue or a Cohort: its quota and usage, and `subtree`, the quota of everything below it that it can use."""

    name: str
    parent: Node | None = None
    quotas: Mapping[Cell, Quota] = field(default_factory=dict)
    weight: float = 1.0
    is_queue: bool = True
    is_active: bool = True
    """Whether a queue takes part: one that is stopped keeps its quota and usage, and nobody preempts in it."""
    children: list[Node] = field(default_factory=list)
    height: int = 0
    """Steps to the furthest leaf."""
    subtree: dict[Cell, int] = field(default_factory=dict)
    usage: dict[Cell, int] = field(default_factory=dict)

    def nominal(self, cell: Cell) -> int:
        """The node's own quota."""
        quota = self.quotas.get(cell)
        return quota.nominal if quota is not None else 0

    def local(self, cell: Cell) -> int:
        """What is never lent."""
        quota = self.quotas.get(cell)
        if quota is None or quota.lending is None:
            return 0
        return max(0, self.subtree.get(cell, 0) - quota.lending)

    def local_free(self, cell: Cell) -> int:
        """What is never lent and not used."""
        return max(0, self.local(cell) - self.usage.get(cell, 0))

    def potential(self, cell: Cell) -> int:
        """What could be had if nobody used anything."""
        mine = self.subtree.get(cell, 0)
        if self.parent is None:
            return mine
        reachable = self.local(cell) + self.parent.potential(cell)
        quota = self.quotas.get(cell)
        if quota is not None and quota.borrowing is not None:
            return min(reachable, mine + quota.borrowing)
        return reachable

    def _reachable(self, cell: Cell) -> int:
        mine, used = self.subtree.get(cell, 0), self.usage.get(cell, 0)
        if self.parent is None:
            return mine - used
        above = self.parent._reachable(cell)
        quota, local = self.quotas.get(cell), self.local(cell)
        if quota is not None and quota.borrowing is not None:
            above = min(mine - local - max(0, used - local) + quota.borrowing, above)
        return max(0, local - used) + above

    def available(self, cell: Cell) -> int:
        """What can be had now; nothing where more is used than there is."""
        return max(0, self._reachable(cell))

    def use(self, cell: Cell, amount: int) -> None:
        """Books an amount; what exceeds the local quota is booked above too."""
        free = self.local_free(cell)
        self.usage[cell] = self.usage.get(cell, 0) + amount
        if self.parent is not None and amount > free:
            self.parent.use(cell, amount - free)

    def release(self, cell: Cell, amount: int) -> None:
        """Takes a booking back; one of less than nothing, of a slice that shrinks, was the node's own alone."""
        used = self.usage.get(cell, 0)
        stored = used - self.local(cell)
        self.usage[cell] = used - amount
        if self.parent is not None and stored > 0 and amount > 0:
            self.parent.release(cell, min(amount, stored))

    def borrows(self, cell: Cell, amount: int = 0) -> bool:
        """Whether so much more is beyond what is the node's own: its quota, or for a cohort that of everything below."""
        own = self.nominal(cell) if self.is_queue else self.subtree.get(cell, 0)
        return self.usage.get(cell, 0) + amount > own

    def is_within(self, cells: Iterable[Cell]) -> bool:
        """Whether the usage of all these cells is within the quota of the subtree."""
        return all(self.usage.get(cell, 0) <= self.subtree.get(cell, 0) for cell in cells)

    def fits(self, requests: Mapping[Cell, int]) -> tuple[bool, dict[Cell, int]]:
        """Whether the subtree's own quota takes all, and what of it goes beyond what is never lent."""
        fits = all(self.usage.get(c, 0) + amount <= self.subtree.get(c, 0) for c, amount in requests.items())
        return fits, {cell: max(0, amount - self.local_free(cell)) for cell, amount in requests.items()}

    def ancestors(self) -> Iterator[Node]:
        """The parent, its parent, and so on to the root."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    @property
    def root(self) -> Node:
        """The top of the tree."""
        found = self
        for above in self.ancestors():
            found = above
        return found

    def queues(self) -> Iterator[Node]:
        """All active queues below."""
        for child in self.children:
            if not child.is_queue:
                yield from child.queues()
            elif child.is_active:
                yield child

    def lowest_fit(self, cell: Cell, amount: int) -> tuple[int, bool]:
        """Height of the smallest subtree whose quota takes the amount (0: the queue's own), and whether it is less than the tree."""
        if self.parent is None or not self.borrows(cell, amount):
            return 0, self.parent is not None
        rest = amount - self.local_free(cell)
        for above in self.ancestors():
            if not above.borrows(cell, rest):
                return above.height, above.parent is not None
            rest -= above.local_free(cell)
        return self.root.height, False


def sum_subtrees(root: Node) -> None:
    """Adds up quota, usage, and height from the leaves."""
    root.subtree = {cell: quota.nominal for cell, quota in root.quotas.items()}
    if not root.is_queue:
        root.usage = {}
    for child in root.children:
        sum_subtrees(child)
        root.height = max(root.height, child.height + 1)
        for cell, amount in child.subtree.items():
            root.subtree[cell] = root.subtree.get(cell, 0) + amount - child.local(cell)
        for cell, amount in child.usage.items():
            root.usage[cell] = root.usage.get(cell, 0) + max(0, amount - child.local(cell))
