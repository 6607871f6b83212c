"""Rules on whether a job can be admitted at all: flavors, coverage, size of one job, and the plan's own nomination."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stowplan.diagnostics.model import Label, Severity
from stowplan.kueue.admission import Admission, Preempted, Resize, because
from stowplan.kueue.podsets import podsets_of
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import KueueTree, Side, spec_of
from stowplan.kueue.worlds import flavor_complaints, world_of
from stowplan.model.quantity import parse_quantity
from stowplan.model.rendered import RenderedObject
from stowplan.model.workload import Workload
from stowplan.passes.lower.kueue.amounts import accelerator_resource

__all__ = ["CHECKS", "SIDE_CHECKS"]


def selectors(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2081: node selectors with keys that flavors define are Kueue's to set."""
    for job in side.jobs:
        queue = side.queue_of(job)
        if queue is None:
            continue
        names = [str(f.get("name")) for g in spec_of(queue).get("resourceGroups") or [] for f in g.get("flavors") or []]
        keys = {
            k for name in names if name in side.flavors for k in spec_of(side.flavors[name]).get("nodeLabels") or {}
        }
        for pods in podsets_of(job):
            for key in sorted(keys.intersection(pods.pod.get("nodeSelector") or {})):
                yield problem(
                    "SP2081", job, (*pods.pointer, "spec", "nodeSelector", key),
                    f"node selector `{key}` of {job.reference} is what the flavors of queue `{queue.name}` set on admission",
                    "ask for flavors by required node affinity, which Kueue reads and never writes",
                )  # fmt: skip


def labelled_flavors(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2080, further: flavors of one queue do not give one label two values in two groups."""
    for made in side.queues.values():
        seen: dict[str, tuple[int, str, str]] = {}
        for g, group in enumerate(spec_of(made).get("resourceGroups") or []):
            for row in group.get("flavors") or []:
                flavor = side.flavors.get(str(row.get("name")))
                for key, value in (spec_of(flavor).get("nodeLabels") or {}).items() if flavor is not None else ():
                    first = seen.setdefault(key, (g, value, str(row.get("name"))))
                    if first[0] != g and first[1] != value:
                        yield problem(
                            "SP2080", made, ("spec", "resourceGroups", g),
                            f"flavors `{first[2]}` and `{row.get('name')}` of {made.reference} give label `{key}` two values, and "
                            "one pod may get both",
                        )  # fmt: skip


def reachable(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2080: on the API server that a job starts at, some flavor of its queue takes each of its pod sets."""
    world = world_of(side) if side.jobs else None
    for job in side.jobs:
        queue = side.queue_of(job)
        if queue is None or world is None:
            continue
        for pods in podsets_of(job):
            reasons = flavor_complaints(side, world, queue.name, pods)
            if reasons and all(text is not None for _, text in reasons):
                listed = "; ".join(f"{name}: {text}" for name, text in reasons)
                yield problem(
                    "SP2080", job, pods.pointer or ("spec",),
                    f"no flavor of queue `{queue.name}` on `{side.name}` takes pod set `{pods.name}` of {job.reference}: {listed}",
                )  # fmt: skip


def outcomes(tree: KueueTree) -> Iterator[Finding]:
    """SP2093, SP2094, SP2099: what the plan has placed is admitted now, not on borrowed time, and nobody who runs must leave."""
    for outcome in tree.admissions:
        workload = tree.fleet.workload(outcome.intent)
        if workload is None:
            continue
        yield from _evictions(tree, outcome, workload)
        if outcome.resize is not None:
            yield from _growth(outcome, outcome.resize, workload)
        if outcome.state == "running" or (outcome.preempted is not None and _runs(tree, outcome.intent)):
            continue
        elsewhere = outcome.cluster != tree.plan.placements[outcome.intent].assignments[0].cluster
        if outcome.state not in ("admitted", "reserved") or outcome.unplaced or elsewhere:
            yield from _nomination(tree, outcome, workload)
        elif outcome.borrows and not workload.interruptible:
            yield Finding(
                "SP2094", Severity.WARNING,
                f"`{outcome.intent}` may not be interrupted, but runs on quota that tenant `{workload.tenant}` borrows in "
                f"queue `{outcome.queue}` on `{outcome.cluster}`: its owner may take it back",
                origin=workload.entity.at("interruptible"),
                helps=("raise the tenant's quota, or let others in the cohort reclaim less",), targets=(outcome.cluster,),
            )  # fmt: skip


def _runs(tree: KueueTree, intent: str) -> bool:
    placement = tree.plan.placements.get(intent)
    return placement is not None and any(a.is_running for a in placement.assignments)


def _evictions(tree: KueueTree, outcome: Admission, workload: Workload) -> Iterator[Finding]:
    """SP2099: running work that leaves for an intent, on the worker or for the manager's quota."""
    by_name = {other.intent: other for other in tree.admissions}
    manager = outcome.manager
    places = [(outcome.queue, outcome.cluster, outcome.preempts)]
    if manager is not None:
        places.append((manager.queue, manager.cluster, manager.preempts))
    act = f"admitting `{outcome.intent}` to" if outcome.resize is None else f"letting `{outcome.intent}` grow in"
    for queue, cluster, names in places:
        parts = []
        for name in names:
            other = by_name.get(name)
            left = None if other is None else _left(other, is_manager=manager is not None and names is manager.preempts)
            if left is not None and _runs(tree, name):
                victim = tree.fleet.workload(name)
                hard = ", which may not be interrupted" if victim is not None and not victim.interruptible else ""
                parts.append(f"`{name}`{hard} ({because(left.reason)})")
        if parts:
            yield Finding(
                "SP2099", Severity.WARNING,
                f"{act} queue `{queue}` on `{cluster}` preempts running work: {', '.join(parts)}",
                origin=workload.entity.name_origin,
                helps=(
                    "give it a lower priority, raise the quota that it waits for, or let the tenants' queues preempt less "
                    "(`queueing.preemption`)",
                ),
                targets=(cluster,),
            )  # fmt: skip


def _left(outcome: Admission, *, is_manager: bool) -> Preempted | None:
    if is_manager:
        return None if outcome.manager is None else outcome.manager.preempted
    return outcome.preempted


def _growth(outcome: Admission, resize: Resize, workload: Workload) -> Iterator[Finding]:
    """SP2093 for elastic work that runs: the pods that it is to gain are not admitted, or stay pending."""
    if resize.state in ("shrinks", "admitted", "reserved") and not resize.unplaced:
        return
    text = f"`{outcome.intent}` runs with {resize.pods_before} of {resize.pods} pods on `{outcome.cluster}`, and the others "
    if resize.unplaced:
        text += f"are admitted to queue `{outcome.queue}`, but stay pending"
    elif resize.state == "never":
        text += f"can never be admitted to queue `{outcome.queue}`"
    else:
        text += f"wait in queue `{outcome.queue}`"
    after = f"; admitted after {', '.join(resize.after)}" if resize.after else ""
    origin = workload.entity.at("workers" if workload.training is not None else "shards", "count")
    yield Finding(
        "SP2093", Severity.WARNING, f"{text}: {'; '.join(resize.why)}{after}", origin=origin, targets=(outcome.cluster,)
    )


def _nomination(tree: KueueTree, outcome: Admission, workload: Workload) -> Iterator[Finding]:
    placement = tree.plan.placements[outcome.intent]
    status, planned = placement.status, placement.assignments[0].cluster
    manager = outcome.manager if outcome.is_kept_back else None
    queue = f"queue `{outcome.queue}`" if manager is None else f"queue `{manager.queue}`"
    where = f"`{outcome.cluster}`" if manager is None else f"the manager `{manager.cluster}`"
    if outcome.state == "never":
        text = f"`{outcome.intent}` can never be admitted to {queue} on {where}"
    elif status not in ("placed", "routed"):
        return
    elif outcome.unplaced:
        text = f"`{outcome.intent}` is {status} on {where}, and {queue} admits it, but its pods stay pending"
    elif manager is not None:
        text = f"`{outcome.intent}` is {status} on `{planned}`, but waits in {queue} on {where}, which sends it nowhere"
    elif outcome.cluster != planned:
        text = f"`{outcome.intent}` is {status} on `{planned}`, but {where} takes it"
    else:
        text = f"`{outcome.intent}` is {status} on {where}, but waits in {queue}"
    yield Finding(
        "SP2093", Severity.WARNING, f"{text}: {_reasons(outcome)}", origin=workload.entity.name_origin,
        targets=(outcome.cluster if manager is None else manager.cluster,),
    )  # fmt: skip


def _reasons(outcome: Admission) -> str:
    lefts = (outcome.preempted, outcome.manager.preempted if outcome.manager is not None else None)
    preempted = tuple(f"preempted by {left.by}, since {because(left.reason)}" for left in lefts if left is not None)
    why = outcome.manager.why if outcome.is_kept_back and outcome.manager is not None else outcome.why
    others = tuple(
        f"`{o.cluster}`: {'; '.join(o.why)}" for o in outcome.options if o.why and o.cluster != outcome.cluster
    )
    after = f"; admitted after {', '.join(outcome.after)}" if outcome.after else ""
    return "; ".join((*preempted, *why, *others)) + after


def below_use(tree: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2095: the quota covers what is admitted already."""
    observed = side.cluster.observed
    for index, row in enumerate(observed.kueue.usage if observed is not None and observed.kueue is not None else ()):
        queue = side.queues.get(row.queue)
        if queue is None:
            continue
        known = row.flavor in tree.fleet.flavors
        resource = accelerator_resource(tree.fleet, row.flavor, side.cluster.name) if known else None
        for group in spec_of(queue).get("resourceGroups") or []:
            for flavor in group.get("flavors") or []:
                for cell in flavor.get("resources") or []:
                    if flavor.get("name") == row.flavor and resource is not None and cell.get("name") == resource:
                        nominal = int(parse_quantity(str(cell.get("nominalQuota"))))
                        if nominal < row.accelerators:
                            yield _below_use(tree, side, queue, index, nominal)


def _below_use(tree: KueueTree, side: Side, queue: RenderedObject, index: int, nominal: int) -> Finding:
    """At the tenant's row for this flavor and cluster, beside what the snapshot saw."""
    snapshot = side.cluster.snapshot
    assert snapshot is not None
    assert snapshot.spec.kueue is not None
    row = snapshot.spec.kueue.usage[index]
    fact = tree.fleet.quotas.get((queue.manifest.source.removeprefix("tenant/"), side.name, row.flavor))
    seen = Label(snapshot.at("kueue", "usage", index, "accelerators"), f"{row.accelerators} are admitted")
    text = (
        f"queue `{row.queue}` on `{side.name}` gets {nominal} accelerators of `{row.flavor}`, but {row.accelerators} are "
        "admitted: what is beyond is borrowed, and may be preempted"
    )
    found = warn("SP2095", queue, ("spec", "resourceGroups"), text)
    return replace(found, origin=fact.origin / "nominal" if fact is not None else None, beside=(seen,))


CHECKS = (outcomes,)
SIDE_CHECKS = (selectors, labelled_flavors, reachable, below_use)
