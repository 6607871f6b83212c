"""TrainJob: a gang by Kubeflow Trainer, and the runtime that it names.

Neither patches nor `resourcesPerNode` reach a pod's claims: a job that claims devices gets a TrainingRuntime of its own,
which has claims and resources, and is told its processes, which Trainer counts by extended resources.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.manifest import Manifest, Target
from stowplan.passes.lower.images import image_reference
from stowplan.passes.lower.jobs.common import (
    JobScene,
    component_version,
    job_manifest,
    limit_seconds,
    metadata_variables,
)
from stowplan.passes.lower.jobs.environment import environment, job_image
from stowplan.passes.lower.jobs.jobset import jobset_attempt, jobset_name
from stowplan.passes.lower.jobs.pods import PodOptions, claimed, pod_template, work_labels, worker_resources
from stowplan.passes.lower.kueue.units import jobs_unit, kueue_unit

__all__ = ["PATCH_MANAGER", "RUNTIME", "lower_trainjob", "runtime_name", "training_runtime"]

RUNTIME = "stowplan-torch"
"""The runtime that is rendered where an intent names none."""

PATCH_MANAGER = "stowplan.io/compiler"
_NODE = "node"
_NATIVE = "trainer.kubeflow.org/trainjob-controller"
"""What the API server fills in where nobody else manages the job."""
_HAS_PATCHES = (2, 2, 0)
_HAS_DEADLINE = (2, 2, 0)
_LEAVES_LABEL = (0, 17, 2)


def runtime_name(scene: JobScene) -> str:
    """The ClusterTrainingRuntime: option `runtime`, else the one that is rendered."""
    return str(scene.spec.options.get("runtime", RUNTIME))


def _job_name(scene: JobScene) -> str:
    return jobset_name(scene.dispatch.workload.name, _NODE, scene.spec.workers.count)


def lower_trainjob(scene: JobScene) -> Iterator[Manifest]:
    """One TrainJob. What the runtime does not know (place in the topology, flavors, account) comes as a patch."""
    count = scene.spec.workers.count
    trainer = component_version(scene.cluster, "trainer")
    options = PodOptions(_NODE, jobset_attempt(component_version(scene.cluster, "jobset")), restart=None)
    limit, claim = limit_seconds(scene), claimed(scene.fleet, scene.dispatch)
    has_deadline = trainer >= _HAS_DEADLINE
    variables: dict[str, Any] = {
        **metadata_variables(scene, _job_name(scene), limit=None if has_deadline else limit),
        "managed_by": scene.managed_by or _NATIVE,
        "deadline": limit if has_deadline else None,
        "runtime_kind": "TrainingRuntime" if claim is not None else "ClusterTrainingRuntime",
        "runtime": _job_name(scene) if claim is not None else runtime_name(scene),
        "image": job_image(scene.fleet, scene.dispatch),
        "command": list(scene.spec.command),
        "env": environment(scene.fleet, scene.dispatch, options.attempt),
        "count": count,
        "processes": claim.count if claim is not None else None,
        "resources": None if claim is not None else worker_resources(scene.fleet, scene.dispatch),
        "patches": [],
        "overrides": [],
    }
    patch = _pod_patch(scene, options)
    if trainer >= _HAS_PATCHES:
        template: dict[str, Any] = {
            "spec": {"replicatedJobs": [{"name": _NODE, "template": {"spec": {"template": patch}}}]}
        }
        if _labels_its_jobset(scene):
            template["metadata"] = {"labels": {QUEUE_LABEL: scene.dispatch.queue}}
        variables["patches"] = [{"manager": PATCH_MANAGER, "trainingRuntimeSpec": {"template": template}}]
    else:
        variables["overrides"] = [{"targetJobs": [{"name": _NODE}], **patch}]
    yield job_manifest(scene, "jobs/trainjob", variables)


def _labels_its_jobset(scene: JobScene) -> bool:
    """Whether the JobSet that the manager's trainer makes is to name the queue, so that Kueue leaves it to MultiKueue, too.

    The trainer does not look at `managedBy`; until 0.17.1 Kueue's own patch names the queue.
    """
    hub = scene.fleet.spec.hubs.kueue
    if scene.managed_by is None or hub is None:
        return False
    return component_version(scene.fleet.clusters[hub.cluster], "kueue") >= _LEAVES_LABEL


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


def training_runtime(scene: JobScene, target: Target) -> Manifest | None:
    """The runtime that a TrainJob needs on an API server; None where the snapshot has it or the user named another."""
    cluster = scene.fleet.clusters[target.cluster]
    artifact = scene.fleet.artifacts[scene.spec.image]
    variables: dict[str, Any] = {"image": image_reference(scene.fleet, artifact, cluster)[0]}
    claim = claimed(scene.fleet, scene.dispatch)
    if claim is not None:
        workload = scene.dispatch.workload
        variables |= {
            **metadata_variables(scene, _job_name(scene)),
            "labels": work_labels(workload),
            "resources": worker_resources(scene.fleet, scene.dispatch),
            "claims": claim.of_pod,
        }
        origins = {(): workload.entity.origin, ("name",): workload.entity.name_origin}
        origins |= {("claims",): claim.claim.origin, ("resources",): workload.entity.at("workers")}
        return Manifest(jobs_unit(target), "jobs/trainingruntime", variables, origins, f"workload/{workload.name}")
    name = runtime_name(scene)
    known = cluster.observed.runtimes if cluster.observed is not None else ()
    if name != RUNTIME or name in known:
        return None
    origin = cluster.entity.at("components", "trainer")
    variables["name"] = name
    return Manifest(
        kueue_unit(target), "jobs/clustertrainingruntime", variables, {(): origin}, f"cluster/{cluster.name}"
    )
