"""Rules on whether a job can be admitted at all: flavors, coverage, size of one job, and the plan's own nomination."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stowplan.diagnostics.model import Label, Severity
from stowplan.kueue.assignment import flavor_complaints
from stowplan.kueue.outcome import Admission, admissions
from stowplan.kueue.podsets import podsets_of
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import KueueTree, Side, spec_of
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
    for job in side.jobs:
        queue = side.queue_of(job)
        if queue is None:
            continue
        names = [str(f.get("name")) for g in spec_of(queue).get("resourceGroups") or [] for f in g.get("flavors") or []]
        for pods in podsets_of(job):
            reasons = [(name, next(iter(flavor_complaints(side, queue, name, pods)), None)) for name in names]
            if names and all(text is not None for _, text in reasons):
                listed = "; ".join(f"{name}: {text}" for name, text in reasons)
                yield problem(
                    "SP2080", job, pods.pointer or ("spec",),
                    f"no flavor of queue `{queue.name}` on `{side.name}` takes pod set `{pods.name}` of {job.reference}: {listed}",
                )  # fmt: skip


def outcomes(tree: KueueTree) -> Iterator[Finding]:
    """SP2093 and SP2094: what the plan has placed is admitted now, and not on borrowed time."""
    for outcome in admissions(tree):
        workload = tree.fleet.workload(outcome.intent)
        if workload is None or outcome.state == "running":
            continue
        if outcome.state != "admitted":
            yield from _nomination(tree, outcome, workload)
        elif outcome.borrows and not workload.interruptible:
            yield Finding(
                "SP2094", Severity.WARNING,
                f"`{outcome.intent}` may not be interrupted, but runs on quota that tenant `{workload.tenant}` borrows in "
                f"queue `{outcome.queue}` on `{outcome.cluster}`: its owner may take it back",
                origin=workload.entity.at("interruptible"),
                helps=("raise the tenant's quota, or let others in the cohort reclaim less",), targets=(outcome.cluster,),
            )  # fmt: skip


def _nomination(tree: KueueTree, outcome: Admission, workload: Workload) -> Iterator[Finding]:
    status = tree.plan.placements[outcome.intent].status
    if outcome.state == "never":
        text = f"`{outcome.intent}` can never be admitted to queue `{outcome.queue}` on `{outcome.cluster}`"
    elif status in ("placed", "routed"):
        text = f"`{outcome.intent}` is {status} on `{outcome.cluster}`, but waits in queue `{outcome.queue}`"
    else:
        return
    yield Finding(
        "SP2093", Severity.WARNING, f"{text}: {_reasons(outcome)}", origin=workload.entity.name_origin,
        targets=(outcome.cluster,),
    )  # fmt: skip


def _reasons(outcome: Admission) -> str:
    after = f"; admitted after {', '.join(outcome.after)}" if outcome.after else ""
    return "; ".join(outcome.why) + after


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
