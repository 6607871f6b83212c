"""The outcome for one intent: what Kueue would do with it now."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Admission", "Preempted", "because"]

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
class Admission:
    """The outcome for one intent.

    `state` is running, admitted, reserved (quota is, admission checks follow), waiting, or never. `after` names who must
    end before it is admitted, in the order of their ends; `domain` is the path of the topology domain that Kueue would
    choose; `why` are Kueue's reasons. `preempts` are those who leave for it, `preempted` is for whom it leaves itself:
    then the state is what becomes of it. `unplaced` are admitted pods that no node has room for now.
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
