"""PyTorchJob: a master and its workers, by Kubeflow's training operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.model.manifest import Manifest
from stowplan.passes.lower.jobs.common import JobScene, job_manifest, limit_seconds, metadata_variables
from stowplan.passes.lower.jobs.environment import Attempt
from stowplan.passes.lower.jobs.gangs import grouped
from stowplan.passes.lower.jobs.job import POD_UID
from stowplan.passes.lower.jobs.pods import PodOptions, pod_template
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["lower_pytorchjob"]

_OPTIONS = PodOptions("pytorch", Attempt((("STOWPLAN_POD_UID", POD_UID),)), restart=None)
"""Ranks know no UID that they share: what the master writes counts, under its own pod's."""


def lower_pytorchjob(scene: JobScene) -> Iterator[Manifest]:
    """One PyTorchJob; the master is the first worker."""
    count = scene.spec.workers.count
    pod = pod_template(scene.fleet, scene.dispatch, _OPTIONS)
    replicas: dict[str, Any] = {"Master": _replicas(scene, 1, pod, has_peers=count > 1)}
    if count > 1:
        replicas["Worker"] = _replicas(scene, count - 1, pod, has_peers=True)
    tail = len(f"-worker-{max(0, count - 2)}")
    name = limited_name(scene.dispatch.workload.name, 63 - tail, letter_first=True)
    variables = {
        **metadata_variables(scene, name),
        "managed_by": scene.managed_by,
        "deadline": limit_seconds(scene),
        "retries": scene.spec.attempts - 1,
        "replicas": replicas,
        "pod": pod,
    }
    yield job_manifest(scene, "jobs/pytorchjob", variables)


def _replicas(scene: JobScene, count: int, pod: dict[str, Any], *, has_peers: bool) -> dict[str, Any]:
    """Containers restart in place while attempts are left."""
    return {
        "replicas": count,
        "restartPolicy": "OnFailure" if scene.spec.attempts > 1 else "Never",
        "template": grouped(scene.fleet, scene.dispatch, pod) if has_peers else pod,
    }
