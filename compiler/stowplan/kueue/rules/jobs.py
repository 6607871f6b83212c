"""Rules on jobs with a queue: labels, names, options of their kinds, and what Kueue writes into them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.diagnostics.suggest import did_you_mean
from stowplan.kueue.annotations import whole_number
from stowplan.kueue.elastic import ELASTIC, ELASTIC_KINDS, is_elastic, lacks_gate
from stowplan.kueue.podsets import podsets_of
from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import JOB_KINDS, KueueTree, Side, group_of, labels_of, spec_of
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.dialect import dialect_of
from stowplan.source.span import Pointer

__all__ = ["SIDE_CHECKS"]

_P = "kueue.x-k8s.io/"
_AT_LABEL = ("metadata", "labels", QUEUE_LABEL)
_SUSPEND: dict[str, Pointer] = {
    "Job": ("spec", "suspend"), "JobSet": ("spec", "suspend"), "TrainJob": ("spec", "suspend"),
    "RayJob": ("spec", "suspend"), "RayCluster": ("spec", "suspend"),
    "PyTorchJob": ("spec", "runPolicy", "suspend"), "MPIJob": ("spec", "runPolicy", "suspend"),
}  # fmt: skip
_LONGEST_NAME = {"RayJob": 47, "RayService": 47, "RayCluster": 53}
_PATCH_MANAGER = "kueue.x-k8s.io/manager"


def queue_label(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2070: the label names a LocalQueue of the namespace, on the outermost object only."""
    for job in side.jobs:
        name = labels_of(job)[QUEUE_LABEL]
        mine = {n for (namespace, n) in side.local_queues if namespace == job.namespace}
        if len(name) > 63:
            yield problem("SP2070", job, _AT_LABEL, f"the queue of {job.reference} is longer than 63 characters")
        elif name not in mine:
            yield problem(
                "SP2070", job, _AT_LABEL,
                f"{job.reference} names LocalQueue `{name}`, which there is not in namespace `{job.namespace}` on `{side.name}`",
                *did_you_mean(name, mine),
            )  # fmt: skip
        priority = labels_of(job).get(f"{_P}priority-class")
        if priority is not None and priority not in side.priorities:
            yield problem(
                "SP2070", job, ("metadata", "labels", f"{_P}priority-class"),
                f"{job.reference} names WorkloadPriorityClass `{priority}`, which there is not on `{side.name}`",
                *did_you_mean(priority, side.priorities),
            )  # fmt: skip
        for pods in podsets_of(job):
            inner = (pods.template.get("metadata") or {}).get("labels") or {}
            if pods.pointer and QUEUE_LABEL in inner:
                yield problem(
                    "SP2070", job, (*pods.pointer, "metadata", "labels"),
                    f"a template inside {job.reference} carries the queue label: its children would be queued a second time",
                    "label the outermost object only",
                )  # fmt: skip


def suspended(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2071: Git says nothing of suspension."""
    for job in side.jobs:
        path = _SUSPEND.get(job.kind)
        if path is None:
            continue
        found: Any = job.object
        for step in path:
            found = found.get(step) if isinstance(found, dict) else None
        if found is not None:
            yield problem(
                "SP2071", job, path,
                f"`{'.'.join(map(str, path))}` of {job.reference} is Kueue's: every sync would suspend the job and replace its pods",
                "leave the field out; Kueue's webhook sets it",
            )  # fmt: skip


def elastic(tree: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2073: elastic jobs are of few kinds, take any place, and need a gate before Kueue 0.18, on workers too."""
    for job in side.jobs:
        if not is_elastic(job):
            continue
        at = ("metadata", "annotations", ELASTIC)
        if job.kind not in ELASTIC_KINDS:
            yield problem(
                "SP2073", job, at, f"a {job.kind} cannot be elastic", f"kinds that can: {', '.join(ELASTIC_KINDS)}"
            )
        queue = side.queue_of(job)
        workers = side.candidates(queue) if queue is not None else ()
        for one in (side, *(tree.sides[name] for name in workers if name in tree.sides)):
            if lacks_gate(one):
                yield problem(
                    "SP2073", job, at,
                    f"{job.reference} is elastic; Kueue on `{one.name}` needs gate ElasticJobsViaWorkloadSlices for that "
                    "before 0.18",
                    "turn the gate on in Kueue's configuration",
                )  # fmt: skip
            if (one is not side or not workers) and _gains_no_place(tree, one, job):
                yield warn(
                    "SP2073", job, at,
                    f"{job.reference} is elastic, and its flavor on `{one.name}` has a topology: Kueue before 0.18 gives pods "
                    "that it gains later no place, and they stay gated",
                    "let it go to a flavor without a topology",
                )  # fmt: skip
        for pods in podsets_of(job):
            if any(f"{_P}podset-{word}-topology" in pods.annotations for word in ("required", "preferred")):
                yield problem("SP2073", job, at, f"{job.reference} is elastic, so that no level of a topology holds it")


def _gains_no_place(tree: KueueTree, side: Side, job: RenderedObject) -> bool:
    """Whether a flavor that the job goes to has a topology, where the release does not place pods that come later.

    Seen on 0.17.0 without its alpha gate for that and with it: it takes the new pods' indices for mistakes.
    """
    dialect = dialect_of(side.cluster)
    if dialect is None or dialect.at_least(18):
        return False
    placement = tree.plan.placements.get(job.manifest.source.removeprefix("workload/"))
    planned = [a.flavor for a in placement.assignments if a.cluster == side.name] if placement is not None else []
    queue = side.queue_of(job)
    listed = spec_of(queue).get("resourceGroups") or [] if queue is not None else []
    names = planned or [row.get("name") for group in listed for row in group.get("flavors") or []]
    return any(spec_of(side.flavors[name]).get("topologyName") for name in names if name in side.flavors)


def partial(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2074: partial admission has bounds, and rewrites a field of Git's."""
    for job in side.jobs:
        given = (job.object.get("metadata") or {}).get("annotations") or {}
        text = given.get(f"{_P}job-min-parallelism")
        if text is None or job.kind != "Job":
            continue
        at = ("metadata", "annotations", f"{_P}job-min-parallelism")
        parallelism, least = spec_of(job).get("parallelism", 1), whole_number(text)
        if least is None or not 0 < least < parallelism:
            yield problem(
                "SP2074",
                job,
                at,
                f"the least parallelism of {job.reference} is between 0 and {parallelism}, its parallelism",
            )
        else:
            yield warn(
                "SP2074", job, at,
                f"Kueue cuts `spec.parallelism` of {job.reference} on admission, and every sync of the engine would put it back",
                "let the engine ignore `spec.parallelism` of this job",
            )  # fmt: skip


def kinds(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2076: what Ray and Trainer ask of jobs, and names within the kinds' limits."""
    for job in side.jobs:
        spec = spec_of(job)
        longest = _LONGEST_NAME.get(job.kind, 63)
        if len(job.name) > longest:
            yield problem(
                "SP2076",
                job,
                ("metadata", "name"),
                f"the name of {job.reference} has {len(job.name)} characters, most {longest}",
            )
        if job.kind == "RayJob":
            if spec.get("clusterSelector"):
                yield problem(
                    "SP2076", job, ("spec", "clusterSelector"),
                    f"{job.reference} runs on a cluster that there is: put the queue label on the RayCluster only",
                )  # fmt: skip
            elif spec.get("shutdownAfterJobFinishes") is not True:
                yield problem(
                    "SP2076", job, ("spec", "shutdownAfterJobFinishes"),
                    f"{job.reference} keeps its cluster when it ends, which Kueue does not take",
                )  # fmt: skip
            elif not spec.get("rayClusterSpec"):
                yield problem("SP2076", job, ("spec",), f"{job.reference} says nothing of the cluster that it runs on")
        if job.kind in ("RayJob", "RayCluster"):
            yield from _autoscaling(side, job)
        if job.kind == "TrainJob" and any(r.get("manager") == _PATCH_MANAGER for r in spec.get("runtimePatches") or []):
            yield problem(
                "SP2077",
                job,
                ("spec", "runtimePatches"),
                f"the patch of `{_PATCH_MANAGER}` in {job.reference} is Kueue's",
            )


def _autoscaling(side: Side, job: RenderedObject) -> Iterator[Finding]:
    """Ray's own autoscaler changes what Kueue has admitted: only elastic clusters may have it, and none behind MultiKueue."""
    path: Pointer = ("spec", "rayClusterSpec") if job.kind == "RayJob" else ("spec",)
    cluster = (spec_of(job).get("rayClusterSpec") or {}) if job.kind == "RayJob" else spec_of(job)
    if cluster.get("enableInTreeAutoscaling") is not True:
        return
    queue = side.queue_of(job)
    if not is_elastic(job):
        text = f"{job.reference} scales itself, which Kueue takes of elastic jobs only"
        yield problem("SP2076", job, (*path, "enableInTreeAutoscaling"), text, "leave Ray's autoscaler off")
    elif queue is not None and side.multikueue_check(queue) is not None:
        text = f"{job.reference} scales itself, which MultiKueue does not take"
        yield problem("SP2076", job, (*path, "enableInTreeAutoscaling"), text, "leave Ray's autoscaler off")


def many_podsets(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2078: a Workload has room for few pod sets."""
    dialect = dialect_of(side.cluster)
    most = 10 if dialect is not None and dialect.at_least(18) else 8
    for job in side.jobs:
        count = len(podsets_of(job))
        if count > most:
            yield problem(
                "SP2078", job, ("spec",), f"{job.reference} has {count} pod sets; Kueue on `{side.name}` takes {most}"
            )


def unqueued(tree: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2070, further: a job of a tenant without a queue runs past all quota."""
    for made in side.others:
        source, _, name = made.manifest.source.partition("/")
        placement = tree.plan.placements.get(name) if source == "workload" else None
        is_job = placement is not None and placement.kind in ("TrainingIntent", "BatchIntent")
        if (group_of(made), made.kind) in JOB_KINDS and is_job:
            yield warn(
                "SP2070", made, ("metadata", "labels"), f"{made.reference} names no queue: it runs past every quota"
            )


SIDE_CHECKS = (queue_label, suspended, elastic, partial, kinds, many_podsets, unqueued)
