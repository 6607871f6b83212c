"""Rules on how the engines sync Kueue's objects: order, hooks, and what must not be pruned."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.kueue.rules.base import Finding, problem, warn
from stowplan.kueue.tree import JOB_KINDS, KueueTree, Side, group_of
from stowplan.passes.lower.guards import PRUNE_GUARDS

__all__ = ["SIDE_CHECKS"]

_GUARDED = ("ClusterQueue", "LocalQueue", "ResourceFlavor", "Cohort")
_HOOKS = ("argocd.argoproj.io/hook", "helm.sh/hook")
_TTL = {"Job": ("spec", "ttlSecondsAfterFinished"), "JobSet": ("spec", "ttlSecondsAfterFinished")}


def order(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2090: queues before the jobs that name them; no queued job is a hook; queues are not pruned."""
    queue_waves = {made.unit.wave for made in side.local_queues.values()}
    for job in side.jobs:
        annotations = (job.object.get("metadata") or {}).get("annotations") or {}
        for hook in _HOOKS:
            if hook in annotations:
                yield problem(
                    "SP2090", job, ("metadata", "annotations", hook),
                    f"{job.reference} waits in a queue and is a hook: the sync would hang until it has run",
                    "take the hook off",
                )  # fmt: skip
        if queue_waves and job.unit.wave <= max(queue_waves) and job.unit.name not in _units(side):
            yield problem(
                "SP2090", job, (), f"unit `{job.unit.folder}` syncs {job.reference} no later than the queue it needs",
                "put it in a later wave",
            )  # fmt: skip
        ttl = _TTL.get(job.kind)
        if ttl is not None and ttl[-1] in (job.object.get("spec") or {}):
            yield problem(
                "SP2090", job, ttl,
                f"{job.reference} deletes itself when it has ended, and the engine would make it and run it again",
                "leave the field out; `state: done` takes the job out",
            )  # fmt: skip
    for made in side.kueue:
        annotations = (made.object.get("metadata") or {}).get("annotations") or {}
        if made.kind in _GUARDED and any(annotations.get(key) != value for key, value in PRUNE_GUARDS.items()):
            yield warn(
                "SP2090", made, ("metadata", "annotations"),
                f"{made.reference} has not both engines' guards against pruning: a mistake in Git would take admitted work along",
            )  # fmt: skip


def _units(side: Side) -> set[str]:
    """Units that hold queues and jobs together; the engine applies them at once and retries."""
    with_queues = {made.unit.name for made in side.local_queues.values()}
    return with_queues - {"kueue"}


def late(_: KueueTree, side: Side) -> Iterator[Finding]:
    """SP2090, further: jobs of the core kinds that Kueue would have to know."""
    for made in side.others:
        if (group_of(made), made.kind) in JOB_KINDS and made.kind == "Job":
            ttl = (made.object.get("spec") or {}).get("ttlSecondsAfterFinished")
            if ttl is not None and made.manifest.source.startswith("workload/"):
                yield problem(
                    "SP2090", made, _TTL["Job"], f"{made.reference} deletes itself, and the engine would run it again"
                )


SIDE_CHECKS = (order, late)
