"""Jobs of all runtimes: each to the unit of the API server it starts at, with the runtimes it needs on every other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from stowplan.diagnostics.model import Diagnostic, Outcome
from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest
from stowplan.passes.lower.jobs.common import JobScene
from stowplan.passes.lower.jobs.devices import device_templates
from stowplan.passes.lower.jobs.job import lower_job
from stowplan.passes.lower.jobs.jobset import lower_jobset
from stowplan.passes.lower.jobs.leaderworkerset import lower_leaderworkerset
from stowplan.passes.lower.jobs.mpijob import lower_mpijob
from stowplan.passes.lower.jobs.podgroup import lower_pods
from stowplan.passes.lower.jobs.problems import job_problems
from stowplan.passes.lower.jobs.pytorchjob import lower_pytorchjob
from stowplan.passes.lower.jobs.ray import lower_raycluster, lower_rayjob
from stowplan.passes.lower.jobs.trainjob import lower_trainjob, training_runtime
from stowplan.passes.lower.jobs.volcanojob import lower_volcanojob
from stowplan.passes.lower.jobs.volumes import claim_manifests
from stowplan.passes.lower.kueue.dispatch import Dispatches

__all__ = ["RUNTIME_LOWERERS", "lower_jobs"]

RUNTIME_LOWERERS: Mapping[str, Callable[[JobScene], Iterator[Manifest]]] = {
    "Job": lower_job,
    "JobSet": lower_jobset,
    "LeaderWorkerSet": lower_leaderworkerset,
    "MPIJob": lower_mpijob,
    "Pods": lower_pods,
    "PyTorchJob": lower_pytorchjob,
    "RayCluster": lower_raycluster,
    "RayJob": lower_rayjob,
    "TrainJob": lower_trainjob,
    "VolcanoJob": lower_volcanojob,
}


def lower_jobs(fleet: Fleet, jobs: Dispatches) -> Outcome[tuple[Manifest, ...]]:
    """All jobs that have a place, in the order of their names."""
    manifests: list[Manifest] = []
    found: list[Diagnostic] = []
    runtimes: dict[tuple[str, str], Manifest] = {}
    for dispatch in jobs.jobs.values():
        scene = JobScene.of(fleet, dispatch)
        problems = list(job_problems(scene))
        found.extend(problems)
        if problems:
            continue
        manifests.extend(RUNTIME_LOWERERS[scene.spec.runtime](scene))
        manifests.extend(claim_manifests(scene))
        manifests.extend(device_templates(scene))
        if scene.spec.runtime == "TrainJob":
            for made in _training_runtimes(scene):
                runtimes.setdefault((made.unit.folder, made.variables["name"]), made)
    return Outcome((*manifests, *(runtimes[key] for key in sorted(runtimes))), tuple(found))


def _training_runtimes(scene: JobScene) -> Iterator[Manifest]:
    """On every worker, and on the manager, which needs it to count the pods."""
    for target in scene.targets:
        made = training_runtime(scene, target)
        if made is not None:
            yield made
