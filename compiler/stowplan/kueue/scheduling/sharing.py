"""Shares for fair sharing: how much of what can be lent a queue or cohort borrows, by the resource it borrows most of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from stowplan.kueue.scheduling.quota import Cell, Node

__all__ = ["NO_SHARE", "Share", "share_of"]


@dataclass(frozen=True, slots=True)
class Share:
    """The dominant resource share of a node: thousandths of what can be lent, its weight, and the cells it borrows."""

    ratio: float
    weight: float = 1.0
    borrowed: frozenset[Cell] = frozenset()

    @property
    def borrows(self) -> bool:
        """Whether anything is used beyond the node's quota."""
        return bool(self.borrowed)

    def borrows_any(self, cells: Iterable[Cell]) -> bool:
        """Whether one of these cells is borrowed."""
        return not self.borrowed.isdisjoint(cells)

    @property
    def order(self) -> tuple[bool, float]:
        """Compares as Kueue does: the lower goes first, the higher is preempted first; weight nothing is beyond all others."""
        if self.weight == 0 and self.ratio != 0:
            return True, self.ratio
        return False, 0.0 if self.ratio == 0 else self.ratio / self.weight


NO_SHARE = Share(-1.0)
"""Below every share."""


def share_of(node: Node) -> Share:
    """The share of a node now; roots have none."""
    if node.parent is None:
        return Share(0.0, node.weight)
    by_resource: dict[str, int] = {}
    borrowed: list[Cell] = []
    for cell, quota in node.subtree.items():
        beyond = node.usage.get(cell, 0) - quota
        if beyond > 0:
            by_resource[cell[1]] = by_resource.get(cell[1], 0) + beyond
            borrowed.append(cell)
    if not borrowed:
        return Share(0.0, node.weight)
    lendable = _lendable(node.parent, by_resource)
    ratio = max((n * 1000.0 / lendable[name] for name, n in by_resource.items() if lendable[name] > 0), default=0.0)
    return Share(ratio if math.isfinite(ratio) else 0.0, node.weight, frozenset(borrowed))


def _lendable(parent: Node, resources: Iterable[str]) -> dict[str, int]:
    """What the parent could give at most, over all flavors."""
    found = dict.fromkeys(resources, 0)
    for cell in parent.root.subtree:
        if cell[1] in found:
            found[cell[1]] += parent.potential(cell)
    return found
