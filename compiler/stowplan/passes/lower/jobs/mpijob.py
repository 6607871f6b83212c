"""MPIJob: a launcher that runs the command, and workers that it starts processes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from stowplan.model.manifest import Manifest
from stowplan.passes.lower.jobs.common import JobScene, job_manifest, limit_seconds, metadata_variables
from stowplan.passes.lower.jobs.environment import Attempt
from stowplan.passes.lower.jobs.gangs import LEADER_RESOURCES, grouped
from stowplan.passes.lower.jobs.job import JOB_UID, POD_UID
from stowplan.passes.lower.jobs.pods import PodOptions, container, pod_template
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["KEYS_FOLDER", "lower_mpijob"]

KEYS_FOLDER: Final = str(PurePosixPath("/", "root", ".ssh"))
"""In the containers: the API's default, where root's sshd and ssh look for their keys."""

_LAUNCHER = PodOptions("launcher", Attempt((("STOWPLAN_JOB_UID", JOB_UID), ("STOWPLAN_POD_UID", POD_UID))))
_WORKER = PodOptions("worker", Attempt((("STOWPLAN_POD_UID", POD_UID),)), restart=None)


def lower_mpijob(scene: JobScene) -> Iterator[Manifest]:
    """One MPIJob. The launcher takes no accelerators; its attempts are the job's."""
    fleet, dispatch, count = scene.fleet, scene.dispatch, scene.spec.workers.count
    leads = container(fleet, dispatch, _LAUNCHER, resources=LEADER_RESOURCES)
    works = container(fleet, dispatch, _WORKER, command=("/usr/sbin/sshd", "-De"))
    variables = {
        **metadata_variables(
            scene, limited_name(dispatch.workload.name, 63 - len(f"-worker-{count - 1}"), letter_first=True)
        ),
        "managed_by": scene.managed_by,
        "deadline": limit_seconds(scene),
        "retries": scene.spec.attempts - 1,
        "slots": max(1, scene.spec.workers.accelerators),
        "count": count,
        "keys_folder": KEYS_FOLDER,
        "launcher": grouped(fleet, dispatch, pod_template(fleet, dispatch, _LAUNCHER, containers=[leads])),
        "pod": grouped(fleet, dispatch, pod_template(fleet, dispatch, _WORKER, containers=[works])),
    }
    yield job_manifest(scene, "jobs/mpijob", variables)
