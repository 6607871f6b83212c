"""Tell whether a plan is settled: made anew with its own assignments in the lock, it would be the same and say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stowplan.model.fleet import Fleet
from stowplan.model.plan import Placement, PlacementPlan
from stowplan.passes.placement.findings import findings
from stowplan.passes.placement.place import Placer
from stowplan.passes.placement.problem import Previous
from stowplan.passes.placement.rejections import Rejections

__all__ = ["is_settled"]

_MOST_WORKLOADS = 2_000
"""A larger plan is not made twice; the next compile finds out."""


def is_settled(
    fleet: Fleet, placer: Placer, plan: PlacementPlan, lock: Mapping[str, Sequence[Previous]], *, upgrade: bool
) -> bool:
    """`lock` are the plan's own assignments, as the next compile will read them."""
    if len(fleet.workloads) > _MOST_WORKLOADS:
        return False
    again = placer.plan(lock, upgrade=upgrade)
    if list(again.placements) != list(plan.placements) or again.bound != plan.bound:
        return False
    if not all(map(_is_same, again.placements.values(), plan.placements.values())):
        return False
    return list(findings(fleet, again)) == list(findings(fleet, plan))


def _is_same(one: Placement, other: Placement) -> bool:
    """Whether two placements of a workload agree in everything but how they came about."""
    return (
        (one.status, one.assignments, one.alternatives, one.reserve_gaps, one.class_name)
        == (other.status, other.assignments, other.alternatives, other.reserve_gaps, other.class_name)
        and _extra(one) == _extra(other)
    )  # fmt: skip


def _extra(placement: Placement) -> object:
    rejections = placement.rejections
    return rejections.extra if isinstance(rejections, Rejections) else tuple(rejections)
