"""Why a workload is where it is, and for every cluster why or why not, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from stowplan.kueue.admission import Admission
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.plan import Assignment, Candidate, Placement, PlacementPlan, Rejection
from stowplan.source.span import Origin, Span
from stowplan.views.explain_admission import explain_admission

__all__ = ["explain_cluster", "explain_workload"]

Locate = Callable[[Origin], Span | None]

_RESULTS: Final = ("TrainingIntent", "BatchIntent")
"""Kinds that end with a result; the others run on and are paid by the month."""

_UNIT_WORDS: Final = {
    "TrainingIntent": ("gang", "gangs"),
    "BatchIntent": ("shard at a time", "shards at a time"),
    "InferenceIntent": ("replica", "replicas"),
    "WorkspaceIntent": ("user's share", "users' shares"),
}


def explain_workload(
    fleet: Fleet,
    plan: PlacementPlan,
    name: str,
    locate: Locate,
    cluster: str | None = None,
    admission: Admission | None = None,
) -> str | None:
    """The explanation of one workload (on one cluster where asked); None where there is no such workload or cluster.

    The cluster that was chosen comes first.

    `admission` is what Kueue would do with it where it is placed.
    """
    workload, placement = fleet.workload(name), plan.placements.get(name)
    if workload is None or placement is None or (cluster is not None and cluster not in fleet.clusters):
        return None
    place = locate(workload.entity.name_origin)
    where = f"{place.path}:{place.line}" if place else workload.entity.origin.path
    lines = [f"workload/{name}: {placement.status} ({placement.kind}, tenant {placement.tenant}, {where})"]
    lines += [f"  {line}" for line in _asks(fleet, placement)]
    lines.append("")
    lines += _summary(fleet, placement)
    members = {member.name for member in fleet.members}
    for one in _ordered(fleet, placement):
        if cluster is None or one.name == cluster:
            lines.append("")
            lines += _on_cluster(fleet, placement, one, locate) if one.name in members else _on_hub(one, locate)
            if admission is not None and admission.cluster == one.name:
                lines += [f"  {line}" for line in explain_admission(admission)]
    return "\n".join(lines) + "\n"


def _ordered(fleet: Fleet, placement: Placement) -> list[Cluster]:
    """What was chosen in the plan's order, then what would do, best first, then the others by name."""
    best = [a.cluster for a in placement.assignments] + [c.cluster for c in placement.alternatives]
    return [fleet.clusters[name] for name in dict.fromkeys((*best, *fleet.clusters))]


def _asks(fleet: Fleet, placement: Placement) -> Iterator[str]:
    workload = fleet.workload(placement.workload)
    assert workload is not None
    unit = workload.unit
    one, many = _UNIT_WORDS.get(placement.kind, ("unit", "units"))
    whole = f"{workload.units} {one if workload.units == 1 else many} of "
    if unit.workers > 1:
        whole += f"{unit.workers} workers with "
    each = " each" if workload.units * unit.workers > 1 else ""
    yield (
        f"asks for {whole}{_accelerators(unit.accelerators)}, {unit.cpu / 1000:g} core{'' if unit.cpu == 1000 else 's'}, "
        f"and {unit.memory / 2**30:g} GiB{each}; priority {workload.priority}; dispatch: {workload.dispatch}"
    )


def _accelerators(n: int) -> str:
    return "1 accelerator" if n == 1 else f"{n} accelerators"


def _summary(fleet: Fleet, placement: Placement) -> Iterator[str]:
    total = len(fleet.members)
    places = {a.cluster for a in placement.assignments} | {c.cluster for c in placement.alternatives}
    counts: dict[str, set[str]] = {}
    for rejection in placement.rejections:
        if rejection.cluster not in places:
            counts.setdefault(rejection.reason.predicate.value, set()).add(rejection.cluster)
    why = ", ".join(f"{len(c)} {name}" for name, c in sorted(counts.items(), key=lambda e: (-len(e[1]), e[0])))
    yield f"{len(places)} of {total} cluster{'' if total == 1 else 's'} would do" + (
        f"; the others fail: {why}" if why else ""
    )


def _on_hub(cluster: Cluster, locate: Locate) -> Iterator[str]:
    yield f"{cluster.name}: no"
    yield f"  role: `{cluster.name}` is {' and '.join(cluster.spec.roles)}, and takes no workloads"
    place = locate(cluster.entity.at("roles"))
    if place is not None:
        yield f"      roles at {place.path}:{place.line}:{place.column}"


def _on_cluster(fleet: Fleet, placement: Placement, cluster: Cluster, locate: Locate) -> Iterator[str]:
    chosen = [a for a in placement.assignments if a.cluster == cluster.name]
    others = [c for c in placement.alternatives if c.cluster == cluster.name]
    rejected = [r for r in placement.rejections if r.cluster == cluster.name]
    verdict = "chosen" if chosen else "would do" if others else "no"
    yield f"{cluster.name}: {verdict}"
    for assignment in chosen:
        yield from (f"  {line}" for line in _chosen(fleet, placement, assignment))
    for candidate in others:
        yield f"  {candidate.flavor}: eligible, not chosen; {_figures(fleet, candidate, placement)}"
    for flavor in dict.fromkeys(r.flavor for r in rejected):
        for rejection in rejected:
            if rejection.flavor == flavor:
                yield from (f"  {line}" for line in _rejected(rejection, locate))


def _chosen(fleet: Fleet, placement: Placement, a: Assignment) -> Iterator[str]:
    domain = f" in domain {'/'.join(a.domain)}" if a.domain else ""
    replicas = f", {a.replicas} replica{'' if a.replicas == 1 else 's'}" if a.replicas is not None else ""
    reserve = f", {a.reserved} more held in reserve" if a.reserved else ""
    runs = ", runs there already" if a.is_running else ""
    yield f"{a.flavor}: {_accelerators(a.accelerators)}{domain}{replicas}{reserve}{runs}"
    estimate = a.candidate.estimate
    if placement.kind in _RESULTS:
        extra = f" + {a.extra_wait_hours:.2f} h until there is room" if a.extra_wait_hours else ""
        rework = f" + rework {estimate.rework_hours:.2f} h" if estimate.rework_hours else ""
        requeue = f" + requeueing {estimate.requeue_hours:.2f} h" if estimate.requeue_hours else ""
        yield (
            f"time to result {a.hours:.2f} h = wait {estimate.wait_hours:.2f} h{extra} + staging "
            f"{estimate.staging_hours:.2f} h (data {estimate.data_hours:.2f}, image {estimate.image_hours:.2f} in parallel) "
            f"+ run {estimate.run_hours:.2f} h{rework}{requeue}"
        )
    yield _figures(fleet, a.candidate, placement, placement.share(a))


def _figures(fleet: Fleet, candidate: Candidate, placement: Placement, share: float = 1.0) -> str:
    """What the part of the workload that goes there costs; estimates are those of the whole."""
    e = candidate.estimate
    ends = placement.kind in _RESULTS
    money = f"{e.cost * share:,.2f} {fleet.spec.currency}{'' if ends else ' a month'}"
    if e.transfer_cost:
        money += f" ({e.transfer_cost:,.2f} of it transfer)"
    carbon = f"{e.carbon_kilograms * share:,.1f} kg CO2{'' if ends else ' a month'}"
    hours = f"{e.hours:.2f} h, " if ends else ""
    hits = f", {e.interruptions:.1f} interruptions expected" if e.interruptions else ""
    return f"{hours}{money}, {carbon}{hits}; score {candidate.score * share:.2f}"


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
        lines.append(
            f"  {pool.flavor}: {_accelerators(pool.total_accelerators)} on {pool.nodes} node"
            f"{'' if pool.nodes == 1 else 's'}, {free} free"
        )
        for placement in plan.placements.values():
            for a in placement.assignments:
                if (a.cluster, a.flavor) == (name, pool.flavor):
                    domain = f" [{'/'.join(a.domain)}]" if a.domain else ""
                    reserve = f" + {a.reserved} in reserve" if a.reserved else ""
                    lines.append(f"    {placement.workload}: {a.accelerators}{domain}{reserve} ({placement.status})")
    return "\n".join(lines) + "\n"
