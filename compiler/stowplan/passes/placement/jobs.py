"""Places jobs (gangs and shards): by priority, whole, where they score best of what there is room for now."""

from __future__ import annotations

from stowplan.model.plan import Assignment, Candidate
from stowplan.model.rooms import DomainRoom
from stowplan.model.workload import Workload
from stowplan.passes.placement.ledger import Booking, Ledger
from stowplan.passes.placement.problem import Item, Problem, Solution, Solved

__all__ = ["place_jobs"]


def place_jobs(problem: Problem, ledger: Ledger) -> Solution:
    """Greedy in booking order; each item weighs waiting for its best place against running elsewhere now."""
    solution: dict[str, Solved] = {}
    for item in problem.items:
        for running in item.running:
            ledger.book_running(running.cluster, running.flavor, _booking_of(item, running))
    for item in problem.items:
        solution[item.workload.name] = _place(problem, ledger, item)
    return solution


def _booking_of(item: Item, running: object) -> Booking:
    workload = item.workload
    return Booking(
        workload=workload.name,
        tenant=workload.tenant,
        unit=workload.unit,
        workers=0,
        accelerators=running.accelerators,  # type: ignore[attr-defined]
        domain=running.domain or None,  # type: ignore[attr-defined]
        ends=workload.run_hours,
        is_running=True,
        in_queue=True,
    )


def _place(problem: Problem, ledger: Ledger, item: Item) -> Solved:
    workload = item.workload
    if not item.candidates:
        return Solved("unplaced", ())
    settled = _keep_running(item)
    if settled is not None:
        return settled
    status = "routed" if getattr(workload.entity.spec, "route", None) is not None else "placed"
    choice = _choose(problem, ledger, item)
    candidate, domain, extra = choice
    change = _change(item, candidate)
    if domain is None:
        wait = extra if extra is not None else 0.0
        assignment = Assignment(candidate, None, workload.total_accelerators, workload.units, None, 0, wait, False)
        return Solved("queued" if status == "placed" else status, (assignment,), change=change)
    estimate = candidate.estimate
    ledger.book(candidate.cluster, candidate.flavor, workload, domain, estimate.hours)
    path = domain.path or _only_path(domain)
    assignment = Assignment(candidate, path, workload.total_accelerators, workload.units, None, 0, 0.0, False)
    return Solved(status, (assignment,), change=change)


def _only_path(domain: DomainRoom) -> tuple[str, ...] | None:
    return domain.path or None


def _keep_running(item: Item) -> Solved | None:
    """A workload that runs keeps its place unless it became impossible."""
    kept = []
    for running in item.running:
        candidate = item.candidate(running.cluster, running.flavor)
        if candidate is None:
            return None
        kept.append(Assignment(candidate, running.domain or None, running.accelerators, 1, None, 0, 0.0, True))
    if not kept:
        return None
    status = "routed" if getattr(item.workload.entity.spec, "route", None) is not None else "placed"
    return Solved(status, tuple(kept), change="kept")


def _choose(problem: Problem, ledger: Ledger, item: Item) -> tuple[Candidate, DomainRoom | None, float | None]:
    """The candidate with the least score once the wait for room is added; the previous one unless clearly worse."""
    best = _best(problem, ledger, item)
    if problem.keep_previous:
        for before in item.previous:
            candidate = item.candidate(before.cluster, before.flavor)
            if candidate is None:
                continue
            kept = _option(problem, ledger, item.workload, candidate)
            if kept[2] is not None or best[2] is None:
                better = best[0] < kept[0] * (1 - problem.move_threshold)
                return best[1:] if better else _in_domain(ledger, item.workload, kept, before.domain)
    return best[1:]


_Option = tuple[float, Candidate, DomainRoom | None, float | None]


def _best(problem: Problem, ledger: Ledger, item: Item) -> _Option:
    """Candidates come by score, so the first with room now beats all that follow it."""
    best: _Option | None = None
    for candidate in item.candidates:
        if best is not None and best[0] <= candidate.score:
            break
        option = _option(problem, ledger, item.workload, candidate)
        if best is None or (option[0], candidate.cluster, candidate.flavor) < (
            best[0],
            best[1].cluster,
            best[1].flavor,
        ):
            best = option
    assert best is not None
    return best


def _in_domain(
    ledger: Ledger, workload: Workload, option: tuple[float, Candidate, DomainRoom | None, float | None], path: object
) -> tuple[Candidate, DomainRoom | None, float | None]:
    """The same option in the domain of the lock, if there still is room."""
    _, candidate, domain, extra = option
    level = _level(workload)
    if domain is None or level is None or not path or domain.path == path:
        return candidate, domain, extra
    room = ledger.state(candidate.cluster, candidate.flavor).room
    needed = workload.units * workload.unit.workers
    same = next((d for d in room.domains(level, workload.unit) if d.path == path and d.workers >= needed), None)
    return candidate, same or domain, extra


def _level(workload: Workload) -> str | None:
    training = workload.training
    if training is None or training.topology is None:
        return None
    return training.topology.required or training.topology.preferred


def _option(
    problem: Problem, ledger: Ledger, workload: Workload, candidate: Candidate
) -> tuple[float, Candidate, DomainRoom | None, float | None]:
    """(score with waiting, candidate, domain with room now or None, hours until there is room)."""
    domain = _room_now(ledger, workload, candidate)
    if domain is not None:
        return candidate.score, candidate, domain, 0.0
    required = workload.training.topology.required if workload.training and workload.training.topology else None
    ends = ledger.wait_until_fit(workload, candidate.cluster, candidate.flavor, required)
    extra = None if ends is None else max(0.0, ends - candidate.estimate.wait_hours)
    penalty = _UNKNOWN_WAIT_HOURS if extra is None else extra
    return candidate.score + problem.hour_weight * penalty, candidate, None, extra


_UNKNOWN_WAIT_HOURS = 24.0
"""What a wait of unknown length counts in a score: what holds the room is not ours, and nothing says when it ends."""


def _room_now(ledger: Ledger, workload: Workload, candidate: Candidate) -> DomainRoom | None:
    topology = workload.training.topology if workload.training else None
    if topology is None:
        return ledger.fits(workload, candidate.cluster, candidate.flavor, None)
    if topology.required is not None:
        return ledger.fits(workload, candidate.cluster, candidate.flavor, topology.required)
    close = ledger.fits(workload, candidate.cluster, candidate.flavor, topology.preferred)
    return close or ledger.fits(workload, candidate.cluster, candidate.flavor, None)


def _change(item: Item, candidate: Candidate) -> str:
    if not item.previous:
        return "new"
    if any((p.cluster, p.flavor) == (candidate.cluster, candidate.flavor) for p in item.previous):
        return "kept"
    possible = any(item.candidate(p.cluster, p.flavor) is not None for p in item.previous)
    return "moved" if possible else "forced"
