"""What a reviewer must know of the plan: what is unplaced, waits, loses its reserve, moved, or exceeds a budget."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.diagnostics.model import Diagnostic, Label, Severity
from stowplan.model.eligibility import Predicate
from stowplan.model.fleet import Fleet
from stowplan.model.inputs.intents import InferenceIntentSpec
from stowplan.model.plan import Placement, PlacementPlan, Rejection
from stowplan.model.times import hours
from stowplan.model.workload import Workload

__all__ = ["findings"]


def findings(fleet: Fleet, plan: PlacementPlan) -> Iterator[Diagnostic]:
    """Diagnostics of the placement pass, by workload, then by tenant."""
    for workload in fleet.workloads:
        placement = plan.placements[workload.name]
        if placement.status == "unplaced":
            yield _unplaced(workload, placement)
        elif placement.status == "queued":
            yield _queued(workload, placement)
        yield from _reserve(workload, placement)
        yield from _deadline(workload, placement)
        if placement.change in ("moved", "forced"):
            yield _moved(workload, placement)
    yield from _budgets(fleet, plan)


def _nearest(placement: Placement) -> dict[str, list[Rejection]]:
    """Rejections by cluster, fewest first; where the cluster itself is fine, those of its best flavor."""
    by_cluster: dict[str, dict[str | None, list[Rejection]]] = {}
    for rejection in placement.rejections:
        by_cluster.setdefault(rejection.cluster, {}).setdefault(rejection.flavor, []).append(rejection)
    found = {}
    for cluster, by_flavor in by_cluster.items():
        whole = by_flavor.pop(None, [])
        best = min(by_flavor.values(), key=len, default=[])
        found[cluster] = whole + best
    return dict(sorted(found.items(), key=lambda entry: (len(entry[1]), entry[0])))


def _unplaced(workload: Workload, placement: Placement) -> Diagnostic:
    near = _nearest(placement)
    level = workload.entity.spec.on_unplaced
    severity = Severity.ERROR if level == "error" else Severity.WARNING
    only_topology = [
        c for c, reasons in near.items() if reasons and all(r.reason.predicate is Predicate.TOPOLOGY for r in reasons)
    ]
    what = f"{workload.role} intent `{workload.name}`"
    if only_topology:
        training = workload.training
        need = training.topology.required if training and training.topology else None
        code = "SP0604"
        size = workload.unit.total
        message = f"{what} does not fit: no `{need or 'node'}` of any cluster that would do holds {size} accelerators"
        at = workload.entity.at("topology", "required") if need else workload.entity.name_origin
    else:
        code, at = "SP0601", workload.entity.name_origin
        message = f"{what} can run nowhere"
    secondary: list[Label] = []
    notes = []
    partly = sorted({candidate.cluster for candidate in placement.alternatives})
    if partly and not only_topology:
        message = f"{what} fits nowhere as a whole"
        notes.append(f"{', '.join(partly)} would take a part of it{_spread(workload)}")
    near = {cluster: reasons for cluster, reasons in near.items() if cluster not in partly}
    for cluster, reasons in list(near.items())[:4]:
        words = "; ".join(dict.fromkeys(r.reason.message for r in reasons[:3]))
        more = f" (and {len(reasons) - 3} more)" if len(reasons) > 3 else ""
        notes.append(f"{cluster}: {words}{more}")
        origin = reasons[0].reason.found.origin if reasons else None
        if origin is not None and len(secondary) < 2:
            secondary.append(Label(origin, f"{cluster}: {reasons[0].reason.found.text}"))
    if len(near) > 4:
        notes.append(f"and {len(near) - 4} more cluster{'' if len(near) == 5 else 's'}")
    return Diagnostic(
        code,
        severity,
        message,
        Label(at, "unplaced"),
        tuple(secondary),
        tuple(notes),
        (f"`stowplan explain workload/{workload.name}` gives every reason for every cluster",),
    )


def _spread(workload: Workload) -> str:
    """What a service asks of its places besides that each of them would do."""
    spec = workload.entity.spec
    if not isinstance(spec, InferenceIntentSpec):
        return ""
    regions = ", ".join(f"{r.replicas} in {r.region}" for r in spec.regions if r.replicas)
    least = spec.spread.min_clusters
    return f"; it declares replicas: {regions}" + (f"; on at least {least} clusters" if least > 1 else "")


def _queued(workload: Workload, placement: Placement) -> Diagnostic:
    assignment = placement.assignments[0]
    waits = assignment.extra_wait_hours
    words = f"about {waits:.1f} h more than the queue's usual wait" if waits else "for an unknown time"
    return Diagnostic(
        "SP0602",
        Severity.WARNING,
        f"{workload.role} intent `{workload.name}` must wait on `{assignment.cluster}`, {words}",
        Label(workload.entity.name_origin, "queued"),
        notes=(f"there is no room for {workload.total_accelerators} accelerators of `{assignment.flavor}` now",),
        helps=(f"`stowplan explain workload/{workload.name}` shows what holds the room",),
    )


def _reserve(workload: Workload, placement: Placement) -> Iterator[Diagnostic]:
    for gap in placement.reserve_gaps:
        yield Diagnostic(
            "SP0603",
            Severity.WARNING,
            f"`{workload.name}` does not survive the loss of {gap.lost}: {gap.missing} accelerators of its load have no place",
            Label(workload.entity.at("survive"), "this does not hold"),
            notes=(gap.why,),
            helps=("grow the quota or the capacity of the others, or declare fewer replicas",),
        )


def _deadline(workload: Workload, placement: Placement) -> Iterator[Diagnostic]:
    deadline = getattr(workload.entity.spec, "deadline", None)
    if deadline is None or not placement.assignments:
        return
    takes = max(a.hours for a in placement.assignments)
    if takes > hours(deadline):
        yield Diagnostic(
            "SP0608",
            Severity.WARNING,
            f"`{workload.name}` takes {takes:.1f} h to its result, its deadline is {deadline}",
            Label(workload.entity.at("deadline"), "missed"),
        )


def _moved(workload: Workload, placement: Placement) -> Diagnostic:
    places = ", ".join(f"{a.cluster}/{a.flavor}" for a in placement.assignments) or "nowhere"
    why = "its old place became impossible" if placement.change == "forced" else "the new place is clearly better"
    return Diagnostic(
        "SP0606",
        Severity.NOTE,
        f"`{workload.name}` moves to {places}: {why}",
        Label(workload.entity.name_origin),
        notes=("the lock had it elsewhere",),
    )


def _budgets(fleet: Fleet, plan: PlacementPlan) -> Iterator[Diagnostic]:
    for tenant in fleet.tenants.values():
        budget = tenant.spec.budget
        if budget is None:
            continue
        spent = {p.workload: p.cost for p in plan.placements.values() if p.tenant == tenant.name and p.assignments}
        total = sum(spent.values())
        if total > budget.amount:
            dearest = sorted(spent.items(), key=lambda entry: (-entry[1], entry[0]))[:3]
            yield Diagnostic(
                "SP0607",
                Severity.WARNING,
                f"the plan costs tenant `{tenant.name}` {total:,.0f} {fleet.spec.currency}, its budget is {budget.amount:,.0f} a {budget.per}",
                Label(tenant.at("budget", "amount"), "exceeded"),
                notes=tuple(f"{name}: {cost:,.0f}" for name, cost in dearest),
            )
