"""One head of a queue on its way through a cycle."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from stowplan.kueue.scheduling.assignment import Assignment
from stowplan.kueue.scheduling.preemption import Target
from stowplan.kueue.scheduling.topology import Placed
from stowplan.kueue.scheduling.work import Ask
from stowplan.kueue.scheduling.world import Queue

__all__ = ["Entry", "Fate"]


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
