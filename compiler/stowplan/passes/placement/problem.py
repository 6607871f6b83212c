"""The placement problem and its solution as plain values: the seam where another solver goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from stowplan.model.fleet import Fleet
from stowplan.model.plan import Assignment, Candidate, ReserveGap
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.context import Held

__all__ = ["Item", "Previous", "Problem", "Running", "Solution", "Solved", "Solver"]


@dataclass(frozen=True, slots=True)
class Previous:
    """An assignment in the lock."""

    cluster: str
    flavor: str
    domain: tuple[str, ...] | None
    units: int


@dataclass(frozen=True, slots=True)
class Running:
    """What of a workload runs in one place, as the snapshot saw it."""

    cluster: str
    flavor: str
    domain: tuple[str, ...]
    accelerators: int


@dataclass(frozen=True, slots=True)
class Item:
    """A workload with its eligible candidates, best first, and where it was or is."""

    workload: Workload
    candidates: tuple[Candidate, ...]
    previous: tuple[Previous, ...]
    running: tuple[Running, ...]

    @property
    def order(self) -> tuple[int, int, str]:
        """Priority, then the larger gang, then the name."""
        return (-self.workload.priority_value, -self.workload.total_accelerators, self.workload.name)

    def candidate(self, cluster: str, flavor: str) -> Candidate | None:
        """The candidate of that place, if eligible."""
        return next((c for c in self.candidates if (c.cluster, c.flavor) == (cluster, flavor)), None)


@dataclass(frozen=True, slots=True)
class Problem:
    """Items in booking order, the fleet's pools, and what must be better by how much to move."""

    fleet: Fleet
    items: tuple[Item, ...]
    held: Held
    hour_weight: float
    move_threshold: float
    keep_previous: bool


@dataclass(frozen=True, slots=True)
class Solved:
    """The outcome for one item."""

    status: str
    assignments: tuple[Assignment, ...]
    reserve_gaps: tuple[ReserveGap, ...] = ()
    change: str = "new"
    refused: Mapping[str, str] | None = None
    """Candidates that turned out to have no room, `CLUSTER/FLAVOR` to why (for what stays unplaced)."""


Solution = Mapping[str, Solved]


class Solver(Protocol):
    """Books capacity: jobs may use `held` as it is; a solver of services adds to it."""

    def __call__(self, problem: Problem) -> Solution:
        """The outcome of every item by workload name."""
        ...
