"""The placement pass: eligibility and booking of services, then of jobs, then the plan with its bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from stowplan.model.eligibility import Fact, Predicate, Reason
from stowplan.model.fleet import Fleet
from stowplan.model.plan import Bound, Candidate, Placement, PlacementPlan, Rejection
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.context import Held
from stowplan.passes.eligibility.evaluate import PolicyPredicate, check_eligibility
from stowplan.passes.eligibility.matrix import EligibilityMatrix
from stowplan.passes.estimate import Estimator
from stowplan.passes.placement.jobs import place_jobs
from stowplan.passes.placement.ledger import Ledger
from stowplan.passes.placement.preferences import ExtraTerms, Preferences, rank
from stowplan.passes.placement.problem import Item, Previous, Problem, Running, Solved
from stowplan.passes.placement.rejections import Rejections
from stowplan.passes.placement.services import place_services

__all__ = ["Placer", "place"]


def place(
    fleet: Fleet,
    policy: PolicyPredicate | None = None,
    previous: Mapping[str, Sequence[Previous]] | None = None,
    *,
    upgrade: bool = False,
    extra_terms: ExtraTerms | None = None,
) -> PlacementPlan:
    """The plan. `previous` is what the lock says of each workload; `upgrade` weighs everything anew."""
    return Placer(fleet, policy, extra_terms).plan(previous, upgrade=upgrade)


class Placer:
    """Makes plans of one fleet; a second plan, for another lock, judges and ranks nothing again."""

    def __init__(
        self, fleet: Fleet, policy: PolicyPredicate | None = None, extra_terms: ExtraTerms | None = None
    ) -> None:
        self._fleet = fleet
        self._policy = policy
        self._extra_terms = extra_terms
        self._preferences = Preferences.of(fleet)
        self._estimator = Estimator(fleet)
        active = [w for w in fleet.workloads if w.entity.spec.state == "active"]
        self._jobs = [w for w in active if not w.is_service]
        self._services = [w for w in active if w.is_service]
        self._running = _running(fleet)
        self._first_look = check_eligibility(fleet, self._services, Held(), policy)
        self._second_look: tuple[Held, EligibilityMatrix] | None = None
        self._ranked: dict[int, dict[str, tuple[Candidate, ...]]] = {}

    def plan(self, previous: Mapping[str, Sequence[Previous]] | None = None, *, upgrade: bool = False) -> PlacementPlan:
        """See `place`."""
        fleet, preferences = self._fleet, self._preferences
        held = Held()
        previous = previous or {}
        weights = (preferences.per_hour, preferences.move_threshold, not upgrade)
        service_items = self._items(self._services, self._first_look, previous)
        solved = dict(place_services(Problem(fleet, service_items, held, *weights)))
        second_look = self._look_at_jobs(held)
        job_items = self._items(self._jobs, second_look, previous)
        ledger = Ledger(fleet, held)
        solved = _hold_free_room(ledger, service_items, solved)
        solved.update(place_jobs(Problem(fleet, job_items, held, *weights), ledger))
        placements: dict[str, Placement] = {}
        for made, matrix in ((service_items, self._first_look), (job_items, second_look)):
            for item in made:
                placements[item.workload.name] = _placement(item, matrix, solved[item.workload.name])
        for workload in fleet.workloads:
            if workload.name not in placements:
                placements[workload.name] = _inactive(workload)
        ordered = MappingProxyType(dict(sorted(placements.items())))
        return PlacementPlan(ordered, _bound(fleet, (*service_items, *job_items), solved, preferences))

    def _look_at_jobs(self, held: Held) -> EligibilityMatrix:
        """Eligibility of jobs beside what services hold."""
        if self._second_look is None or not self._second_look[0].holds_as_much_as(held):
            self._second_look = (held, check_eligibility(self._fleet, self._jobs, held, self._policy))
        return self._second_look[1]

    def _items(
        self, workloads: Iterable[Workload], matrix: EligibilityMatrix, previous: Mapping[str, Sequence[Previous]]
    ) -> tuple[Item, ...]:
        ranked = self._ranked.setdefault(id(matrix), {})
        made = []
        for w in workloads:
            name = matrix.class_of[w.name]
            if name not in ranked:
                places = matrix.places(w.name)
                ranked[name] = rank(self._fleet, w, places, self._preferences, self._extra_terms, self._estimator)
            made.append(Item(w, ranked[name], tuple(previous.get(w.name, ())), tuple(self._running.get(w.name, ()))))
        return tuple(sorted(made, key=lambda i: i.order))


def _running(fleet: Fleet) -> dict[str, list[Running]]:
    found: dict[str, list[Running]] = {}
    for cluster in fleet.members:
        if cluster.observed is not None:
            for row in cluster.observed.running:
                found.setdefault(row.intent, []).append(Running(cluster.name, row.flavor, row.domain, row.accelerators))
    return found


def _hold_free_room(ledger: Ledger, items: Sequence[Item], solved: dict[str, Solved]) -> dict[str, Solved]:
    """Services take free room before any job does; what runs already is not free. No room yet means queued."""
    result = dict(solved)
    for item in items:
        outcome = solved[item.workload.name]
        unit = item.workload.unit
        short = False
        for a in outcome.assignments:
            runs = sum(r.accelerators for r in item.running if (r.cluster, r.flavor) == (a.cluster, a.flavor))
            already = runs // unit.accelerators if unit.accelerators else 0
            wanted = max(0, a.units * unit.workers - already)
            short |= ledger.hold_room(a.cluster, a.flavor, unit, wanted) < wanted
            ledger.hold_room(a.cluster, a.flavor, unit, a.reserved // unit.accelerators if unit.accelerators else 0)
        if short and outcome.status == "placed":
            result[item.workload.name] = replace(outcome, status="queued")
    return result


def _placement(item: Item, matrix: EligibilityMatrix, solved: Solved) -> Placement:
    workload = item.workload
    chosen = {(a.cluster, a.flavor) for a in solved.assignments}
    refused = solved.refused or {}
    alternatives: list[Candidate] = []
    extra: list[Rejection] = []
    for candidate in item.candidates:
        if (candidate.cluster, candidate.flavor) in chosen:
            continue
        why = refused.get(f"{candidate.cluster}/{candidate.flavor}")
        if why is not None and solved.status == "unplaced":
            extra.append(_no_room(workload, candidate, why))
        else:
            alternatives.append(candidate)
    return Placement(
        workload=workload.name,
        kind=workload.kind,
        tenant=workload.tenant,
        status=solved.status,
        assignments=solved.assignments,
        alternatives=tuple(alternatives),
        rejections=Rejections(matrix, workload.name, tuple(extra)),
        reserve_gaps=solved.reserve_gaps,
        class_name=matrix.class_of[workload.name],
        change=solved.change,
    )


def _no_room(workload: Workload, candidate: Candidate, why: str) -> Rejection:
    predicate = Predicate(why.split(":")[0])
    message = f"no room for the whole service on `{candidate.flavor}`, {why}"
    need = Fact(f"{workload.total_accelerators} accelerators", workload.entity.name_origin)
    return Rejection(candidate.cluster, candidate.flavor, Reason(predicate, message, need, Fact(why, None)))


def _inactive(workload: Workload) -> Placement:
    state = workload.entity.spec.state
    return Placement(workload.name, workload.kind, workload.tenant, state, (), (), (), (), workload.name, "kept")


def _least_score(fleet: Fleet, item: Item) -> float:
    """The best any plan can give the item: its best candidate, for a service the best of each region by share."""
    inference = item.workload.inference
    if inference is None:
        return min(c.score for c in item.candidates)
    total = sum(row.replicas for row in inference.regions)
    return sum(
        row.replicas
        / total
        * min(c.score for c in item.candidates if fleet.clusters[c.cluster].spec.region == row.region)
        for row in inference.regions
        if row.replicas
    )


def _bound(fleet: Fleet, items: Iterable[Item], solved: Mapping[str, Solved], preferences: Preferences) -> Bound:
    """What was assigned, against every such workload on its own best candidate with no waiting: no plan does better."""
    objective = best = 0.0
    for item in items:
        outcome = solved[item.workload.name]
        total = sum(a.units for a in outcome.assignments)
        for a in outcome.assignments:
            objective += (a.candidate.score + preferences.per_hour * a.extra_wait_hours) * a.units / total
        if outcome.assignments:
            best += _least_score(fleet, item)
    return Bound(objective, best)
