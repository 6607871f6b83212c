"""The outcome for one intent: what Kueue would do with it now."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Admission", "OnManager", "Option", "Preempted", "Resize", "because"]

_REASONS = {
    "InClusterQueue": "it goes first in the queue",
    "InCohortReclamation": "its queue takes back what it lent",
    "InCohortReclaimWhileBorrowing": "its priority lets it take even what its queue borrows",
    "InCohortFairSharing": "its queue has the smaller share",
}


def because(reason: str) -> str:
    """Kueue's reason for a preemption in words, from the side of whoever preempts."""
    return _REASONS.get(reason, reason)


@dataclass(frozen=True, slots=True)
class Preempted:
    """Who makes an intent leave, and why in Kueue's words."""

    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Resize:
    """Elastic work that runs with another number of pods than its manifest asks for.

    `state` is shrinks (at once), or what becomes of its growth: admitted, reserved, waiting, or never; then it runs on as it
    is. `why` and `after` are as for an admission, `unplaced` are pods gained that no node has room for now.
    """

    pods_before: int
    pods: int
    state: str
    why: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    unplaced: int = 0


@dataclass(frozen=True, slots=True)
class OnManager:
    """The outcome on the MultiKueue manager, which sends nothing to a worker before it has reserved quota of its own.

    `state` is reserved, waiting, or never; `checks` are those beside MultiKueue's own.
    """

    cluster: str
    queue: str
    state: str
    flavor: str | None = None
    borrows: bool = False
    why: tuple[str, ...] = ()
    preempts: tuple[str, ...] = ()
    preempted: Preempted | None = None
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """A cluster of a candidate set.

    `state` is takes (it is the one), could (it had room just as soon, and may be the first), later (not asked, since another
    took it before), waiting, or never.
    """

    cluster: str
    state: str
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Admission:
    """The outcome for one intent.

    `state` is running, admitted, reserved (quota is, admission checks follow), waiting, or never. `after` names who must
    end before it is admitted, in the order of their ends; `domain` is the path of the topology domain that Kueue would
    choose; `why` are Kueue's reasons. `preempts` are those who leave for it, `preempted` is for whom it leaves itself:
    then the state is what becomes of it. `unplaced` are admitted pods that no node has room for now. `manager` is the
    manager's part where MultiKueue dispatches it, and `options` its clusters where there are several.
    """

    intent: str
    cluster: str
    queue: str
    state: str
    flavor: str | None = None
    domain: tuple[str, ...] | None = None
    borrows: bool = False
    after: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    preempts: tuple[str, ...] = ()
    preempted: Preempted | None = None
    checks: tuple[str, ...] = ()
    unplaced: int = 0
    resize: Resize | None = None
    manager: OnManager | None = None
    options: tuple[Option, ...] = ()

    @property
    def is_kept_back(self) -> bool:
        """Whether it is the manager that does not let it go."""
        return self.manager is not None and self.manager.state != "reserved"
