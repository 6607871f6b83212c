"""RayJob and RayCluster: a head, workers of one group, and the command as a job or beside the head."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from stowplan.model.manifest import Manifest
from stowplan.passes.lower.jobs.common import (
    JobScene,
    component_version,
    job_manifest,
    limit_seconds,
    metadata_variables,
)
from stowplan.passes.lower.jobs.environment import Attempt
from stowplan.passes.lower.jobs.gangs import LEADER_RESOURCES, grouped
from stowplan.passes.lower.jobs.job import POD_UID
from stowplan.passes.lower.jobs.pods import PodOptions, claimed, container, pod_template
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["lower_raycluster", "lower_rayjob"]

_JOB_NAME, _CLUSTER_NAME = 47, 53
"""Characters that KubeRay leaves for names, since services are named after them."""

_CLUSTER = "metadata.labels['ray.io/cluster']"
_PER_CLUSTER = Attempt((("STOWPLAN_RAY_CLUSTER", _CLUSTER),))
"""KubeRay makes a cluster with a name of its own for each attempt of a RayJob."""
_PER_POD = Attempt((("STOWPLAN_POD_UID", POD_UID),))
_HAS_DEADLINE = (1, 2, 0)
_HAS_PRIORITY = (1, 7, 0)
_GROUP = "workers"


def lower_rayjob(scene: JobScene) -> Iterator[Manifest]:
    """One RayJob with a cluster of its own, which goes when the job ends: Kueue asks for both."""
    submitter = PodOptions("ray-job-submitter", _PER_CLUSTER, topology=False)
    submits = container(
        scene.fleet, scene.dispatch, submitter, resources={"requests": {"cpu": "500m", "memory": "200Mi"}}
    )
    submits = {key: value for key, value in submits.items() if key not in ("command", "env")}
    limit = limit_seconds(scene)
    has_deadline = component_version(scene.cluster, "kuberay") >= _HAS_DEADLINE
    name = limited_name(scene.dispatch.workload.name, _JOB_NAME, letter_first=True)
    variables = {
        **metadata_variables(scene, name, limit=None if has_deadline else limit),
        "managed_by": scene.managed_by,
        "deadline": limit if has_deadline else None,
        "retries": scene.spec.attempts - 1,
        "entrypoint": shlex.join(scene.spec.command),
        "cluster": _cluster(scene, _PER_CLUSTER, driver=False),
        "submitter": pod_template(scene.fleet, scene.dispatch, submitter, containers=[submits]),
    }
    yield job_manifest(scene, "jobs/rayjob", variables)


def lower_raycluster(scene: JobScene) -> Iterator[Manifest]:
    """One RayCluster; the command runs beside the head and talks to it. Nothing ends it but its limit or `state: done`."""
    name = limited_name(scene.dispatch.workload.name, _CLUSTER_NAME, letter_first=True)
    variables = {
        **metadata_variables(scene, name, limit=limit_seconds(scene)),
        "managed_by": scene.managed_by,
        "cluster": _cluster(scene, _PER_POD, driver=True),
    }
    yield job_manifest(scene, "jobs/raycluster", variables)


def _cluster(scene: JobScene, attempt: Attempt, *, driver: bool) -> dict[str, Any]:
    """Head and workers; the two share a place in the topology."""
    fleet, dispatch = scene.fleet, scene.dispatch
    count = dispatch.workload.unit.workers * dispatch.workload.units
    head = PodOptions("ray-head", attempt, restart=None)
    worker = PodOptions("ray-worker", attempt, restart=None)
    containers = [_without_command(container(fleet, dispatch, head, resources=LEADER_RESOURCES))]
    if driver:
        runs = container(fleet, dispatch, head, name="work", resources=LEADER_RESOURCES)
        runs["env"] = [*runs["env"], {"name": "RAY_ADDRESS", "value": "127.0.0.1:6379"}]
        containers.append(runs)
    works = _without_command(container(fleet, dispatch, worker))
    workers: dict[str, Any] = {
        "groupName": _GROUP,
        "replicas": count,
        "minReplicas": count,
        "maxReplicas": count,
        "numOfHosts": 1,
        "rayStartParams": _devices(scene),
        "template": grouped(fleet, dispatch, pod_template(fleet, dispatch, worker, containers=[works])),
    }
    if component_version(scene.cluster, "kuberay") >= _HAS_PRIORITY:
        workers["priority"] = 0
    leads = {
        "rayStartParams": {"dashboard-host": "0.0.0.0", "num-gpus": "0"},
        "template": grouped(fleet, dispatch, pod_template(fleet, dispatch, head, containers=containers)),
    }
    made: dict[str, Any] = {"headGroupSpec": leads, "workerGroupSpecs": [workers]}
    version = scene.spec.options.get("rayVersion")
    return {"rayVersion": str(version), **made} if version is not None else made


def _devices(scene: JobScene) -> dict[str, str]:
    """KubeRay reads a worker's devices off its extended resources; of claims it must be told."""
    claim = claimed(scene.fleet, scene.dispatch)
    return {"num-gpus": str(claim.count)} if claim is not None else {}


def _without_command(made: dict[str, Any]) -> dict[str, Any]:
    """Ray's own start command is the operator's to set."""
    return {key: value for key, value in made.items() if key != "command"}
