"""TrainJob: a gang by Kubeflow Trainer, and the ClusterTrainingRuntime that it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.passes.lower.jobs.common import (
    JobScene,
    component_version,
    job_manifest,
    limit_seconds,
    metadata_variables,
)
from stowplan.passes.lower.jobs.environment import environment, image_reference
from stowplan.passes.lower.jobs.jobset import jobset_attempt, jobset_name
from stowplan.passes.lower.jobs.pods import PodOptions, pod_template, worker_resources
from stowplan.passes.lower.kueue.units import kueue_unit

__all__ = ["PATCH_MANAGER", "RUNTIME", "lower_trainjob", "runtime_name", "training_runtime"]

RUNTIME = "stowplan-torch"
"""The runtime that is rendered where an intent names none."""

PATCH_MANAGER = "stowplan.io/compiler"
_NODE = "node"
_NATIVE = "trainer.kubeflow.org/trainjob-controller"
"""What the API server fills in where nobody else manages the job."""
_HAS_PATCHES = (2, 2, 0)
_HAS_DEADLINE = (2, 2, 0)


def runtime_name(scene: JobScene) -> str:
    """The ClusterTrainingRuntime: option `runtime`, else the one that is rendered."""
    return str(scene.spec.options.get("runtime", RUNTIME))


def lower_trainjob(scene: JobScene) -> Iterator[Manifest]:
    """One TrainJob. What the runtime does not know (place in the topology, flavors, account) comes as a patch."""
    count = scene.spec.workers.count
    trainer = component_version(scene.cluster, "trainer")
    options = PodOptions(_NODE, jobset_attempt(component_version(scene.cluster, "jobset")), restart=None)
    limit = limit_seconds(scene)
    has_deadline = trainer >= _HAS_DEADLINE
    variables: dict[str, Any] = {
        **metadata_variables(
            scene, jobset_name(scene.dispatch.workload.name, _NODE, count), limit=None if has_deadline else limit
        ),
        "managed_by": scene.managed_by or _NATIVE,
        "deadline": limit if has_deadline else None,
        "runtime": runtime_name(scene),
        "image": image_reference(scene.fleet, scene.spec.image, scene.cluster.name),
        "command": list(scene.spec.command),
        "env": environment(scene.fleet, scene.dispatch, options.attempt),
        "count": count,
        "resources": worker_resources(scene.fleet, scene.dispatch),
        "patches": [],
        "overrides": [],
    }
    patch = _pod_patch(scene, options)
    if trainer >= _HAS_PATCHES:
        job = {"name": _NODE, "template": {"spec": {"template": patch}}}
        variables["patches"] = [
            {"manager": PATCH_MANAGER, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [job]}}}}
        ]
    else:
        variables["overrides"] = [{"targetJobs": [{"name": _NODE}], **patch}]
    yield job_manifest(scene, "jobs/trainjob", variables)


def _pod_patch(scene: JobScene, options: PodOptions) -> dict[str, Any]:
    """The part of the pod template that a patch may carry."""
    pod = pod_template(scene.fleet, scene.dispatch, options)
    spec = pod["spec"]
    kept = ("affinity", "serviceAccountName", "tolerations", "volumes")
    made = {name: spec[name] for name in kept if name in spec}
    mounts = spec["containers"][0].get("volumeMounts")
    if mounts:
        made["containers"] = [{"name": _NODE, "volumeMounts": mounts}]
    return {"metadata": pod["metadata"], "spec": made}


def training_runtime(fleet: Fleet, target: Target, cluster: Cluster, scene: JobScene) -> Manifest | None:
    """The runtime that a TrainJob needs on an API server; None where the snapshot has it or the user named another."""
    name = runtime_name(scene)
    known = cluster.observed.runtimes if cluster.observed is not None else ()
    if name != RUNTIME or name in known:
        return None
    unit: Unit = kueue_unit(target)
    origin = fleet.clusters[cluster.name].entity.at("components", "trainer")
    variables = {"name": name, "image": image_reference(fleet, scene.spec.image, scene.cluster.name)}
    return Manifest(unit, "jobs/clustertrainingruntime", variables, {(): origin}, f"cluster/{cluster.name}")
