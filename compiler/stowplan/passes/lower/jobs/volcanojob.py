"""Volcano Job: a gang that Volcano schedules, outside Kueue; flavors' labels and tolerations are rendered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.model.manifest import Manifest
from stowplan.passes.lower.jobs.common import JobScene, job_manifest, limit_seconds, metadata_variables
from stowplan.passes.lower.jobs.environment import Attempt
from stowplan.passes.lower.jobs.job import POD_UID
from stowplan.passes.lower.jobs.pods import PodOptions, pod_template
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["lower_volcanojob"]

_TASK = "workers"
_JOB_UID = Attempt((("STOWPLAN_POD_UID", POD_UID),))


def lower_volcanojob(scene: JobScene) -> Iterator[Manifest]:
    """One Volcano Job: all workers or none; a lost worker restarts the job while attempts are left."""
    workload = scene.dispatch.workload
    is_gang = workload.training is not None
    count = workload.unit.workers if is_gang else scene.spec.shards.count
    limit = limit_seconds(scene)
    pod = pod_template(scene.fleet, scene.dispatch, PodOptions("work", _JOB_UID, deadline_seconds=limit))
    name = limited_name(workload.name, 63 - len(f"-{_TASK}-{count - 1}"), letter_first=True)
    variables: dict[str, Any] = {
        **metadata_variables(scene, name),
        "least": count if is_gang else 1,
        "count": count,
        "retries": max(1, scene.spec.attempts - 1),
        "queue": str(scene.spec.options.get("queue", "default")),
        "topology": _topology(scene),
        "task": _TASK,
        "on_eviction": "RestartJob" if is_gang else "RestartTask",
        "on_failure": "AbortJob" if scene.spec.attempts == 1 else "RestartJob" if is_gang else "RestartTask",
        "pod": pod,
    }
    yield job_manifest(scene, "jobs/volcanojob", variables)


def _topology(scene: JobScene) -> dict[str, Any] | None:
    """The level as a tier: the nodes of one innermost domain are tier 1, and so on outwards."""
    training = scene.dispatch.workload.training
    if training is None or training.topology is None:
        return None
    levels = scene.cluster.pools[scene.dispatch.assignment.flavor].levels
    level = training.topology.required or training.topology.preferred
    if level not in levels:
        return None
    tier = max(1, len(levels) - 1 - levels.index(level))
    return {"mode": "hard" if training.topology.required is not None else "soft", "highestTierAllowed": tier}
