"""What keeps a placed job from being rendered, at the user's lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.diagnostics.suggest import did_you_mean
from stowplan.passes.lower.jobs.common import JobScene
from stowplan.passes.lower.jobs.dispatchable import undispatched
from stowplan.passes.lower.jobs.environment import OBJECT_STORE, PREFIX
from stowplan.passes.lower.jobs.jobset import further_jobs
from stowplan.passes.lower.jobs.podgroup import MOST_PODS
from stowplan.passes.lower.jobs.pods import claimed
from stowplan.passes.lower.jobs.trainjob import RUNTIME

__all__ = ["OPTIONS", "PROMOTING_RUNTIMES", "SHARD_RUNTIMES", "job_problems"]

SHARD_RUNTIMES = ("Job", "JobSet", "RayJob", "RayCluster", "VolcanoJob", "Pods")
"""Runtimes that run loosely coupled pieces."""
PROMOTING_RUNTIMES = ("Job", "JobSet")
"""Runtimes with a step after the work."""
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "Job": ("elastic",),
    "JobSet": ("replicatedJobs",),
    "TrainJob": ("runtime",),
    "RayJob": ("elastic", "rayVersion"),
    "RayCluster": ("elastic", "rayVersion"),
    "VolcanoJob": ("queue",),
}
"""Options of the runtimes, by the names that intents use."""


def job_problems(scene: JobScene) -> Iterator[Diagnostic]:
    """What the runtime cannot do, storage that the cluster lacks, and variables that the compiler sets itself."""
    entity = scene.dispatch.workload.entity
    yield from _runtime(scene)
    yield from _options(scene)
    for purpose in ("checkpoint", "output"):
        yield from _storage(scene, purpose)
    for name in scene.spec.env:
        if name.startswith(PREFIX):
            yield error(
                "SP2101", f"variable `{name}` is the compiler's: names that start with `{PREFIX}` are", entity.at("env", name).key(),
                helps=("give it another name",),
            )  # fmt: skip


def _runtime(scene: JobScene) -> Iterator[Diagnostic]:
    workload = scene.dispatch.workload
    entity, runtime = workload.entity, scene.spec.runtime
    where = entity.at("runtime")
    if workload.batch is not None and runtime not in SHARD_RUNTIMES:
        yield error(
            "SP2102", f"{runtime} runs gangs, and `{entity.name}` has shards", where,
            helps=(f"runtimes for shards: {', '.join(SHARD_RUNTIMES)}",),
        )  # fmt: skip
    if workload.dispatch == "multikueue":
        yield from undispatched(scene)
    promote = scene.spec.output.promote if scene.spec.output is not None else None
    if promote is not None and runtime not in PROMOTING_RUNTIMES:
        yield error(
            "SP2102", f"{runtime} has no step after the work", entity.at("output", "promote"),
            helps=("let the program promote its output itself", f"runtimes with one: {', '.join(PROMOTING_RUNTIMES)}"),
        )  # fmt: skip
    if runtime == "Pods":
        yield from _pods(scene)


def _pods(scene: JobScene) -> Iterator[Diagnostic]:
    entity, batch = scene.dispatch.workload.entity, scene.dispatch.workload.batch
    if batch is not None and batch.shards.parallelism not in (None, batch.shards.count):
        yield error(
            "SP2102", "plain pods all start at once: nothing holds them to `parallelism`", entity.at("shards", "parallelism"),
            helps=("use runtime Job",),
        )  # fmt: skip
    count = batch.shards.count if batch is not None else scene.spec.workers.count
    if count > MOST_PODS:
        at = entity.at("shards" if batch is not None else "workers", "count")
        yield error("SP2102", f"{count} plain pods; {MOST_PODS} are the most", at, helps=("use runtime Job",))


def _options(scene: JobScene) -> Iterator[Diagnostic]:
    entity, runtime = scene.dispatch.workload.entity, scene.spec.runtime
    known = OPTIONS.get(runtime, ())
    for name in scene.spec.options:
        if name not in known:
            helps = did_you_mean(name, known) or (
                f"options of {runtime}: {', '.join(known)}" if known else f"{runtime} has no options",
            )
            yield error("SP2103", f"{runtime} has no option `{name}`", entity.at("options", name).key(), helps=helps)
    if runtime == "JobSet":
        try:
            further_jobs(scene.spec.options.get("replicatedJobs"))
        except ValueError as problem:
            yield error("SP2103", str(problem), entity.at("options", "replicatedJobs"))
    runtime_name = scene.spec.options.get("runtime")
    if runtime == "TrainJob" and runtime_name is not None:
        yield from _training_runtime(scene, str(runtime_name))
    topology = scene.spec.topology if scene.dispatch.workload.training is not None else None
    if scene.spec.options.get("elastic") is True and topology is not None:
        yield error(
            "SP2103", "an elastic job cannot ask for a topology level", entity.at("options", "elastic"),
            secondary=(Label(entity.at("topology"), "asked for here"),),
        )  # fmt: skip


def _training_runtime(scene: JobScene, name: str) -> Iterator[Diagnostic]:
    """A runtime that the user names must be there: what it holds is not the compiler's to guess, claims of devices least."""
    claim = claimed(scene.fleet, scene.dispatch)
    if claim is not None:
        yield error(
            "SP2103",
            f"`{scene.dispatch.workload.name}` claims its devices, and no TrainJob can bring claims to a runtime that it does "
            "not own",
            scene.dispatch.workload.entity.at("options", "runtime"),
            secondary=(Label(claim.claim.origin, "claimed by this class"),),
            helps=("leave `runtime` out: the job gets a runtime of its own", "use runtime JobSet"),
        )  # fmt: skip
        return
    candidates = scene.dispatch.candidates
    for cluster_name in candidates.clusters if candidates is not None else (scene.dispatch.cluster,):
        cluster = scene.fleet.clusters[cluster_name]
        if name != RUNTIME and cluster.observed is not None and name not in cluster.observed.runtimes:
            yield error(
                "SP2103", f"`{cluster_name}` has no ClusterTrainingRuntime `{name}`",
                scene.dispatch.workload.entity.at("options", "runtime"), helps=did_you_mean(name, cluster.observed.runtimes),
            )  # fmt: skip


def _storage(scene: JobScene, purpose: str) -> Iterator[Diagnostic]:
    place = getattr(scene.spec, purpose)
    if place is None:
        return
    entity, cluster = scene.dispatch.workload.entity, scene.cluster
    storage = cluster.spec.storage
    where = entity.at(purpose, "storage")
    if place.storage == OBJECT_STORE:
        if storage.object_store is None:
            yield error(
                "SP2100", f"`{cluster.name}` has no object store for the {purpose} of `{entity.name}`", where,
                secondary=(Label(cluster.entity.at("storage"), "its storage"),),
                helps=("state `storage.objectStore` of the cluster, or use one of its storage classes",),
            )  # fmt: skip
    elif place.storage not in storage.classes:
        known = ", ".join(f"`{name}`" for name in sorted(storage.classes)) or "none"
        yield error(
            "SP2100", f"`{cluster.name}` has no storage class for `{place.storage}`", where,
            secondary=(Label(cluster.entity.at("storage"), f"storage classes: {known}"),),
        )  # fmt: skip
    elif place.size is None:
        yield error(
            "SP2100", f"the {purpose} on storage class `{place.storage}` needs a size", where,
            helps=("state `size`, such as `500Gi`",),
        )  # fmt: skip
