"""What a release of Kueue does differently: choices of its scheduler that came, went, or stand behind a feature gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["FINAL_SHARE", "INITIAL_SHARE", "Release", "release_of"]

FINAL_SHARE, INITIAL_SHARE = "LessThanOrEqualToFinalShare", "LessThanInitialShare"

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Release:
    """The scheduler of one release as it is configured; the defaults are those of 0.17.0.

    `ranks_candidates`: a flavor in which nobody could be preempted loses to any other that needs preemption.
    `keeps_progress`: work that lost to an earlier head looks at the next flavor in the next cycle, not at the first again.
    `places_again`: a placement that an earlier workload of the cycle has taken is looked for once more.
    `selects_by_flavor`: a pod's node selector counts on the keys of the flavor at hand, and not of all in its group.
    `counts_all_usage`: a placed pod takes all it asks for, and not what the queue counts: the devices of its claims, too, which
    no node has.
    `counts_leaders`: room beside a leader is that of domains which have room for one.
    `seats_leaders`: among equals, the leader goes where enough room is left for the workers.
    """

    fair_sharing: bool = False
    strategies: tuple[str, ...] = (FINAL_SHARE, INITIAL_SHARE)
    priority_in_cohort: bool = True
    fungible: bool = True
    mixed_profile: bool = True
    layers: bool = False
    nominal_first: bool = True
    reclaims_nominal: bool = True
    ranks_candidates: bool = False
    keeps_progress: bool = False
    places_again: bool = False
    selects_by_flavor: bool = False
    counts_all_usage: bool = False
    counts_leaders: bool = False
    seats_leaders: bool = False


_GATES = {
    "PrioritySortingWithinCohort": "priority_in_cohort", "FlavorFungibility": "fungible",
    "TASProfileMixed": "mixed_profile", "TASMultiLayerTopology": "layers",
    "FairSharingPrioritizeNonBorrowing": "nominal_first", "FairSharingPreemptWithinNominal": "reclaims_nominal",
    "TASRecomputeAssignmentWithinSchedulingCycle": "places_again",
    "FlavorFungibilityPreserveScanProgress": "keeps_progress",
}  # fmt: skip

_SINCE: Mapping[str, tuple[int, int, int]] = {
    "ranks_candidates": (99, 5, 1), "keeps_progress": (99, 5, 1), "places_again": (6, 2, 0),
    "selects_by_flavor": (6, 2, 0), "counts_all_usage": (5, 1, 0),
    "counts_leaders": (2, 0, 0), "seats_leaders": (99, 5, 1),
}  # fmt: skip
"""The first patch of 0.17, 0.18, and 0.19 that does so; newer releases do."""


_BACKPORTED: Mapping[str, Mapping[int, int]] = {
    "nominal_first": {15: 5, 16: 2},
    "reclaims_nominal": {15: 6, 16: 3},
}
"""What is there from 0.17.0 on, and the first patch of older minors that does so."""


def release_of(version: Version, gates: Mapping[str, bool], *, fair_sharing: bool) -> Release:
    """The scheduler of a version with these gates set."""
    chosen: dict[str, bool] = {"layers": version >= (0, 19, 0)}
    if version < (0, 17, 0):
        chosen |= {name: version[2] >= patches.get(version[1], 99) for name, patches in _BACKPORTED.items()}
    for name, patches in _SINCE.items():
        minor, patch = version[1:]
        in_line = minor in (17, 18, 19) and patch >= patches[minor - 17]
        chosen[name] = version[0] > 0 or minor > 19 or in_line
    for gate, name in _GATES.items():
        if gate in gates:
            chosen[name] = gates[gate]
    gated: dict[str, Any] = dict(chosen)
    return Release(fair_sharing=fair_sharing, **gated)
