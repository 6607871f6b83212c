"""Whose work goes first under fair sharing: down the tree to the child with the largest share, again after each."""

from __future__ import annotations

from collections.abc import Iterable

from stowplan.kueue.scheduling.candidates import order_of
from stowplan.kueue.scheduling.quota import Node
from stowplan.kueue.scheduling.sharing import NO_SHARE, Share, share_of
from stowplan.kueue.scheduling.world import Held, World

__all__ = ["FairOrder"]


class FairOrder:
    """Queues to preempt from, one after the other as shares change; each next one must give or be dropped."""

    def __init__(self, world: World, preemptor: Node, candidates: Iterable[Held]) -> None:
        """Candidates in the order in which each queue gives them."""
        self._world, self._preemptor = world, preemptor
        self._path = frozenset(id(node) for node in preemptor.ancestors())
        self._work: dict[str, list[Held]] = {}
        for held in candidates:
            self._work.setdefault(held.queue, []).append(held)
        self._pruned: set[int] = set()

    def next(self) -> Node | None:
        """The queue to take from now; None when there is none left."""
        root = self._preemptor.root
        if root is self._preemptor:
            return root if self.has_work(root) and id(root) not in self._pruned else None
        while id(root) not in self._pruned:
            found = self._below(root)
            if found is not None:
                return found
        return None

    def has_work(self, node: Node) -> bool:
        """Whether a queue has candidates left."""
        return bool(self._work.get(node.name))

    def pop(self, node: Node) -> Held:
        """The next candidate of a queue."""
        return self._work[node.name].pop(0)

    def drop(self, node: Node) -> None:
        """Takes nothing more from a queue."""
        self._pruned.add(id(node))

    def _below(self, cohort: Node) -> Node | None:
        """One step down; None where something was only ruled out."""
        queue, queue_share = self._best_queue(cohort)
        best, best_share = None, NO_SHARE
        for child in cohort.children:
            if child.is_queue or id(child) in self._pruned:
                continue
            share = share_of(child)
            if not share.borrows and id(child) not in self._path:
                self._pruned.add(id(child))
            elif share.order >= best_share.order:
                best, best_share = child, share
        if best is None and queue is None:
            self._pruned.add(id(cohort))
            return None
        if best is not None and best_share.order >= queue_share.order:
            return self._below(best)
        return queue

    def _best_queue(self, cohort: Node) -> tuple[Node | None, Share]:
        best, best_share = None, NO_SHARE
        for child in cohort.children:
            if not child.is_queue or id(child) in self._pruned:
                continue
            share = share_of(child)
            if (not share.borrows and child is not self._preemptor) or not self.has_work(child):
                self._pruned.add(id(child))
            elif best is None or share.order > best_share.order:
                best, best_share = child, share
            elif share.order == best_share.order and self._first(child) < self._first(best):
                best = child
        return best, best_share

    def _first(self, node: Node) -> tuple[bool, int, int, str]:
        return order_of(self._work[node.name][0], self._preemptor.name)

    def shares(self, node: Node) -> tuple[Share, Share]:
        """Shares of preemptor and queue, each at the node below the lowest cohort that they share."""
        mine, other = self._sides(node)
        return share_of(mine), share_of(other)

    def share_without(self, node: Node, held: Held) -> Share:
        """The queue's side once some work is gone."""
        _, other = self._sides(node)
        self._world.unbook(held.queue, held.quota, ())
        share = share_of(other)
        self._world.book(held.queue, held.quota, ())
        return share

    def _sides(self, node: Node) -> tuple[Node, Node]:
        below, shared = node, None
        for above in node.ancestors():
            if id(above) in self._path:
                shared = above
                break
            below = above
        mine = self._preemptor
        for above in self._preemptor.ancestors():
            if above is shared:
                break
            mine = above
        return mine, below
