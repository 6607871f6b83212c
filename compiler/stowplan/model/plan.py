"""The placement plan: where each workload goes, what else would do, and why the rest would not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stowplan.model.eligibility import Reason
from stowplan.model.estimate import Estimate

__all__ = ["Assignment", "Bound", "Candidate", "Placement", "PlacementPlan", "Rejection", "ReserveGap"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An eligible (cluster, flavor) with its estimate; the score is the weighted sum of preferences, lower is better."""

    cluster: str
    flavor: str
    estimate: Estimate
    score: float


@dataclass(frozen=True, slots=True)
class Assignment:
    """A chosen candidate. `accelerators` run, `reserved` stand by for the loss of another cluster.

    `extra_wait_hours` is what must pass beyond the queue's usual wait until there is room; `domain` is the path of the
    topology domain, None where it is not bound to one; `replicas` is None for what has no replicas.
    """

    candidate: Candidate
    domain: tuple[str, ...] | None
    accelerators: int
    units: int
    replicas: int | None
    reserved: int
    extra_wait_hours: float
    is_running: bool

    @property
    def cluster(self) -> str:
        """The cluster."""
        return self.candidate.cluster

    @property
    def flavor(self) -> str:
        """The flavor."""
        return self.candidate.flavor

    @property
    def hours(self) -> float:
        """Hours to result, the extra wait included."""
        return self.candidate.estimate.hours + self.extra_wait_hours


@dataclass(frozen=True, slots=True)
class Rejection:
    """One predicate that failed; `flavor` is None where the cluster as a whole fails."""

    cluster: str
    flavor: str | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class ReserveGap:
    """N-1 that does not hold: when `lost` goes, `missing` accelerators of its load have no place."""

    lost: str
    missing: int
    why: str


@dataclass(frozen=True, slots=True)
class Placement:
    """The outcome for one workload: placed, queued, unplaced, routed, suspended, or done.

    `class_name` is the first workload of its class of equal needs, whose rejections it shares.
    """

    workload: str
    kind: str
    tenant: str
    status: str
    assignments: tuple[Assignment, ...]
    alternatives: tuple[Candidate, ...]
    rejections: Sequence[Rejection]
    reserve_gaps: tuple[ReserveGap, ...]
    class_name: str
    change: str
    """Against the lock: new, kept, moved (with a better score), or forced (the old place became impossible)."""

    def share(self, assignment: Assignment) -> float:
        """The part of the workload that an assignment carries; estimates are those of the whole."""
        return assignment.units / max(1, sum(a.units for a in self.assignments))

    @property
    def cost(self) -> float:
        """Money of all assignments."""
        return sum(a.candidate.estimate.cost * self.share(a) for a in self.assignments)


@dataclass(frozen=True, slots=True)
class Bound:
    """Sum of the scores of what was assigned, the least any plan could reach, and the gap between as a share."""

    objective: float
    best: float

    @property
    def gap(self) -> float:
        """(objective - best) / best, 0 where nothing is assigned."""
        return 0.0 if self.best <= 0 else (self.objective - self.best) / self.best


@dataclass(frozen=True, slots=True)
class PlacementPlan:
    """Outcomes by workload name, and the bound."""

    placements: Mapping[str, Placement]
    bound: Bound
