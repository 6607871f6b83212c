"""The placement plan as `plan.json`: versioned, in a fixed order, reasons stored once a class where there are many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stowplan.kueue.admission import Admission, OnManager, Resize
from stowplan.model.fleet import Fleet
from stowplan.model.plan import Assignment, Candidate, Placement, PlacementPlan, Rejection
from stowplan.model.times import format_time
from stowplan.views.json_text import json_text

__all__ = ["plan_document", "plan_text"]

SCHEMA_VERSION = 1

_INLINE_LIMIT = 20_000
"""Rejections and alternatives up to which each workload lists its own; beyond, those of its class stand once."""

_LISTED_LIMIT = 50_000
"""Rejections up to which those of each class are listed; beyond, only how many clusters have no place for it.

`stowplan explain workload/NAME` gives every reason at any size.
"""

_ALTERNATIVES_KEPT = 5


def plan_text(document: dict[str, Any]) -> str:
    """The bytes of plan.json: one line an entry of the longer lists, so that a diff reads well."""
    return json_text(document) + "\n"


def plan_document(
    fleet: Fleet,
    plan: PlacementPlan,
    components: dict[str, list[str]],
    extra: dict[str, Any],
    admissions: Mapping[str, Admission],
) -> dict[str, Any]:
    """The plan as plain data. `extra` adds top-level keys (ledgers) after the workloads, `admissions` are by workload."""
    placements = list(plan.placements.values())
    inline = _fits(placements, _INLINE_LIMIT, alternatives=True)
    listed = inline or _fits((p for p in placements if p.class_name == p.workload), _LISTED_LIMIT, alternatives=False)
    return {
        "schemaVersion": SCHEMA_VERSION,
        "fleet": fleet.name,
        "asOf": format_time(fleet.as_of),
        "currency": fleet.spec.currency,
        "workloads": [
            _workload(fleet, p, admissions.get(p.workload), inline=inline, listed=listed) for p in placements
        ],
        "components": [{"name": name, "clusters": clusters} for name, clusters in sorted(components.items())],
        "bound": {
            "objective": round(plan.bound.objective, 4),
            "best": round(plan.bound.best, 4),
            "gap": round(plan.bound.gap, 6),
        },
        **extra,
    }


def _fits(placements: Iterable[Placement], limit: int, *, alternatives: bool) -> bool:
    """Whether the entries are no more than the limit; they are counted only where an estimate from below leaves it open."""
    chosen = tuple(placements)
    others = sum(len(p.alternatives) for p in chosen) if alternatives else 0
    if others + sum(getattr(p.rejections, "at_least", 0) for p in chosen) > limit:
        return False
    return others + sum(len(p.rejections) for p in chosen) <= limit


def _workload(
    fleet: Fleet, placement: Placement, admission: Admission | None, *, inline: bool, listed: bool
) -> dict[str, Any]:
    workload = fleet.workload(placement.workload)
    assert workload is not None
    service = workload.is_service
    entry: dict[str, Any] = {
        "kind": placement.kind,
        "name": placement.workload,
        "tenant": placement.tenant,
        "namespace": workload.namespace,
        "priority": workload.priority,
        "dispatch": workload.dispatch,
        "status": placement.status,
        "assignments": [_assignment(a, placement.share(a), service=service) for a in placement.assignments],
    }
    if admission is not None:
        entry["admission"] = _admission(admission)
    if inline or placement.class_name == placement.workload:
        kept = placement.alternatives if inline else placement.alternatives[:_ALTERNATIVES_KEPT]
        entry["alternatives"] = [_candidate(c, service=service) for c in kept]
        if len(kept) < len(placement.alternatives):
            entry["alternativesMore"] = len(placement.alternatives) - len(kept)
        entry["rejected"] = [_rejection(r) for r in placement.rejections] if listed else []
        if not listed:
            places = {c.cluster for c in placement.alternatives} | {a.cluster for a in placement.assignments}
            entry["rejectedClusters"] = len(fleet.members) - len(places)
    else:
        entry["alternatives"] = []
        entry["rejected"] = []
        entry["reasonsOf"] = placement.class_name
    if placement.reserve_gaps:
        entry["reserveGaps"] = [
            {"lost": gap.lost, "missingAccelerators": gap.missing, "why": gap.why} for gap in placement.reserve_gaps
        ]
    return entry


def _admission(admission: Admission) -> dict[str, Any]:
    """What Kueue would do now; lists that are empty are left out."""
    entry: dict[str, Any] = {
        "cluster": admission.cluster,
        "queue": admission.queue,
        "state": admission.state,
        "flavor": admission.flavor,
        "domain": None if admission.domain is None else list(admission.domain),
        "borrows": admission.borrows,
    }
    lists = {
        "preempts": admission.preempts, "after": admission.after, "checks": admission.checks, "why": admission.why,
    }  # fmt: skip
    entry |= {name: list(rows) for name, rows in lists.items() if rows}
    if admission.preempted is not None:
        entry["preempted"] = {"by": admission.preempted.by, "reason": admission.preempted.reason}
    if admission.unplaced:
        entry["podsWithoutNode"] = admission.unplaced
    if admission.resize is not None:
        entry["resize"] = _resize(admission.resize)
    if admission.manager is not None:
        entry["manager"] = _on_manager(admission.manager)
    if admission.options:
        entry["candidates"] = [
            {"cluster": o.cluster, "state": o.state, **({"why": list(o.why)} if o.why else {})}
            for o in admission.options
        ]
    return entry


def _resize(resize: Resize) -> dict[str, Any]:
    """The size that running elastic work is to have, and what becomes of it."""
    entry: dict[str, Any] = {"podsRunning": resize.pods_before, "pods": resize.pods, "state": resize.state}
    lists = {"after": resize.after, "checks": resize.checks, "why": resize.why}
    entry |= {name: list(rows) for name, rows in lists.items() if rows}
    if resize.unplaced:
        entry["podsWithoutNode"] = resize.unplaced
    return entry


def _on_manager(part: OnManager) -> dict[str, Any]:
    """The MultiKueue manager's part, in the same words."""
    entry: dict[str, Any] = {
        "cluster": part.cluster,
        "queue": part.queue,
        "state": part.state,
        "flavor": part.flavor,
        "borrows": part.borrows,
    }
    entry |= {n: list(r) for n, r in (("preempts", part.preempts), ("checks", part.checks), ("why", part.why)) if r}
    if part.preempted is not None:
        entry["preempted"] = {"by": part.preempted.by, "reason": part.preempted.reason}
    return entry


def _assignment(assignment: Assignment, share: float, *, service: bool) -> dict[str, Any]:
    estimate = assignment.candidate.estimate
    return {
        "cluster": assignment.cluster,
        "flavor": assignment.flavor,
        "domain": None if assignment.domain is None else list(assignment.domain),
        "accelerators": assignment.accelerators,
        "replicas": assignment.replicas,
        "reserved": assignment.reserved,
        "running": assignment.is_running,
        "timeToResultHours": None if service else round(assignment.hours, 4),
        "cost": round(estimate.cost * share, 2),
        "carbonKilograms": round(estimate.carbon_kilograms * share, 1),
        "waitHours": round(estimate.wait_hours + assignment.extra_wait_hours, 4),
        "stagingHours": round(estimate.staging_hours, 4),
        "interruptions": round(estimate.interruptions, 4),
        "transferCost": round(estimate.transfer_cost, 2),
        "score": round(assignment.candidate.score * share, 4),
    }


def _candidate(candidate: Candidate, *, service: bool) -> dict[str, Any]:
    estimate = candidate.estimate
    return {
        "cluster": candidate.cluster,
        "flavor": candidate.flavor,
        "timeToResultHours": None if service else round(estimate.hours, 4),
        "cost": round(estimate.cost, 2),
        "carbonKilograms": round(estimate.carbon_kilograms, 1),
        "stagingHours": round(estimate.staging_hours, 4),
        "score": round(candidate.score, 4),
    }


def _rejection(rejection: Rejection) -> dict[str, Any]:
    return {
        "cluster": rejection.cluster,
        "flavor": rejection.flavor,
        "predicate": rejection.reason.predicate.value,
        "code": rejection.reason.predicate.code,
        "message": rejection.reason.message,
    }
