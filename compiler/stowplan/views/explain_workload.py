"""Why a workload is where it is, and for every cluster why or why not, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.plan import Assignment, Candidate, Placement, PlacementPlan, Rejection
from stowplan.source.span import Origin, Span

__all__ = ["explain_cluster", "explain_workload"]

Locate = Callable[[Origin], Span | None]


def explain_workload(
    fleet: Fleet, plan: PlacementPlan, name: str, locate: Locate, cluster: str | None = None
) -> str | None:
    """The explanation of one workload (on one cluster where asked); None where there is no such workload."""
    workload, placement = fleet.workload(name), plan.placements.get(name)
    if workload is None or placement is None:
        return None
    place = locate(workload.entity.name_origin)
    where = f"{place.path}:{place.line}" if place else workload.entity.origin.path
    lines = [f"workload/{name}: {placement.status} ({placement.kind}, tenant {placement.tenant}, {where})"]
    lines += [f"  {line}" for line in _asks(fleet, placement)]
    lines.append("")
    lines += _summary(fleet, placement)
    for member in fleet.members:
        if cluster is None or member.name == cluster:
            lines.append("")
            lines += _on_cluster(fleet, placement, member, locate)
    return "\n".join(lines) + "\n"


def _asks(fleet: Fleet, placement: Placement) -> Iterator[str]:
    workload = fleet.workload(placement.workload)
    assert workload is not None
    unit = workload.unit
    yield (
        f"asks for {workload.units} x {unit.workers} worker{'s' if unit.workers > 1 else ''} of {unit.accelerators} "
        f"accelerators, {unit.cpu / 1000:g} cores, and {unit.memory / 2**30:g} GiB each; priority {workload.priority}; "
        f"dispatched by {workload.dispatch}"
    )


def _summary(fleet: Fleet, placement: Placement) -> Iterator[str]:
    total = len(fleet.members)
    places = {a.cluster for a in placement.assignments} | {c.cluster for c in placement.alternatives}
    counts: dict[str, set[str]] = {}
    for rejection in placement.rejections:
        if rejection.cluster not in places:
            counts.setdefault(rejection.reason.predicate.value, set()).add(rejection.cluster)
    why = ", ".join(f"{len(c)} {name}" for name, c in sorted(counts.items(), key=lambda e: (-len(e[1]), e[0])))
    yield f"{len(places)} of {total} clusters would do" + (f"; the others fail: {why}" if why else "")


def _on_cluster(fleet: Fleet, placement: Placement, cluster: Cluster, locate: Locate) -> Iterator[str]:
    chosen = [a for a in placement.assignments if a.cluster == cluster.name]
    others = [c for c in placement.alternatives if c.cluster == cluster.name]
    rejected = [r for r in placement.rejections if r.cluster == cluster.name]
    verdict = "chosen" if chosen else "would do" if others else "no"
    yield f"{cluster.name}: {verdict}"
    for assignment in chosen:
        yield from (f"  {line}" for line in _chosen(fleet, placement, assignment))
    for candidate in others:
        yield f"  {candidate.flavor}: eligible, not chosen; {_figures(fleet, candidate)}"
    for flavor in dict.fromkeys(r.flavor for r in rejected):
        for rejection in rejected:
            if rejection.flavor == flavor:
                yield from (f"  {line}" for line in _rejected(rejection, locate))


def _chosen(fleet: Fleet, placement: Placement, a: Assignment) -> Iterator[str]:
    domain = f" in domain {'/'.join(a.domain)}" if a.domain else ""
    replicas = f", {a.replicas} replicas" if a.replicas is not None else ""
    reserve = f", {a.reserved} more held in reserve" if a.reserved else ""
    runs = ", runs there already" if a.is_running else ""
    yield f"{a.flavor}: {a.accelerators} accelerators{domain}{replicas}{reserve}{runs}"
    estimate = a.candidate.estimate
    if placement.kind in ("TrainingIntent", "BatchIntent"):
        extra = f" + {a.extra_wait_hours:.2f} h until there is room" if a.extra_wait_hours else ""
        rework = f" + rework {estimate.rework_hours:.2f} h" if estimate.rework_hours else ""
        requeue = f" + requeueing {estimate.requeue_hours:.2f} h" if estimate.requeue_hours else ""
        yield (
            f"time to result {a.hours:.2f} h = wait {estimate.wait_hours:.2f} h{extra} + staging "
            f"{estimate.staging_hours:.2f} h (data {estimate.data_hours:.2f}, image {estimate.image_hours:.2f} in parallel) "
            f"+ run {estimate.run_hours:.2f} h{rework}{requeue}"
        )
    yield _figures(fleet, a.candidate)


def _figures(fleet: Fleet, candidate: Candidate) -> str:
    e = candidate.estimate
    money = f"{e.cost:,.2f} {fleet.spec.currency}"
    if e.transfer_cost:
        money += f" ({e.transfer_cost:,.2f} of it transfer)"
    hits = f", {e.interruptions:.1f} interruptions expected" if e.interruptions else ""
    return f"{e.hours:.2f} h, {money}, {e.carbon_kilograms:,.1f} kg CO2{hits}; score {candidate.score:.2f}"


def _rejected(rejection: Rejection, locate: Locate) -> Iterator[str]:
    reason = rejection.reason
    flavor = f"{rejection.flavor}: " if rejection.flavor else ""
    yield f"{flavor}{reason.predicate.value} [{reason.predicate.code}]: {reason.message}"
    facts = [(fact.text, locate(fact.origin)) for fact in (reason.need, reason.found) if fact.origin is not None]
    places = [f"{text} at {span.path}:{span.line}:{span.column}" for text, span in facts if span is not None]
    if places:
        yield f"    {'; '.join(places)}"


def explain_cluster(fleet: Fleet, plan: PlacementPlan, name: str) -> str | None:
    """What a cluster has and takes; None where there is no such cluster."""
    cluster = fleet.clusters.get(name)
    if cluster is None:
        return None
    spec = cluster.spec
    lines = [
        f"cluster/{name}: {spec.provider}, {spec.region} ({spec.jurisdiction}), {', '.join(spec.roles)}; "
        f"synced by {spec.delivery.engine}; Kubernetes {spec.kubernetes}",
    ]
    for pool in cluster.pools.values():
        free = sum(leaf.free_accelerators for leaf in pool.leaves)
        lines.append(f"  {pool.flavor}: {pool.total_accelerators} accelerators on {pool.nodes} nodes, {free} free")
        for placement in plan.placements.values():
            for a in placement.assignments:
                if (a.cluster, a.flavor) == (name, pool.flavor):
                    domain = f" [{'/'.join(a.domain)}]" if a.domain else ""
                    reserve = f" + {a.reserved} in reserve" if a.reserved else ""
                    lines.append(f"    {placement.workload}: {a.accelerators}{domain}{reserve} ({placement.status})")
    return "\n".join(lines) + "\n"
