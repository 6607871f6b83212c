"""One head of a queue on its way through a cycle."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from stowplan.kueue.scheduling.assignment import Assignment
from stowplan.kueue.scheduling.preemption import Target
from stowplan.kueue.scheduling.quota import Cell
from stowplan.kueue.scheduling.topology import Placed
from stowplan.kueue.scheduling.work import Ask
from stowplan.kueue.scheduling.world import Queue

__all__ = ["Entry", "Fate", "Progress"]


class Fate(enum.Enum):
    """What a cycle did with a head."""

    MISFIT = "it does not fit, or nobody may be preempted for it"
    SKIPPED = "another head of the cycle came first"
    BROKEN = "its place holds nobody: it fails to be admitted, again and again, while others are tried"
    PREEMPTS = "others are preempted for it"
    ADMITTED = "quota is reserved for it"


@dataclass(slots=True, eq=False)
class Entry:
    """A head with its assignment, the places that it would take, and whom it would preempt."""

    ask: Ask
    queue: Queue
    made: Assignment
    places: tuple[Placed, ...] = ()
    targets: list[Target] = field(default_factory=list)
    fate: Fate = Fate.MISFIT

    def kept_quota(self) -> dict[Cell, int]:
        """What is kept from others while work waits for room that nobody can be made to leave."""
        node = self.queue.node
        found = {}
        for cell, amount in self.made.quota.items():
            quota = node.quotas.get(cell)
            limit = None if quota is None else quota.borrowing
            used = node.usage.get(cell, 0)
            most = amount
            if self.made.height == 0:
                most = node.nominal(cell) - used
            elif limit is not None:
                most = node.nominal(cell) + limit - used
            found[cell] = max(0, min(amount, most))
        return found


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the search for flavors stopped, in which cycle, and how often the queue's work had changed by then."""

    generation: int
    cycle: int
    tried: tuple[Mapping[str, int], ...]

    @property
    def is_open(self) -> bool:
        """Whether there are flavors left to try."""
        return any(number != -1 for row in self.tried for number in row.values())
