"""batch/v1 Job: shards of a batch, or a gang whose members find each other by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.model.manifest import Manifest
from stowplan.model.quantity import parse_duration
from stowplan.passes.lower.jobs.common import JobScene, job_manifest, limit_seconds, metadata_variables
from stowplan.passes.lower.jobs.environment import Attempt
from stowplan.passes.lower.jobs.pods import PodOptions, container, pod_template
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["JOB_UID", "POD_UID", "SHARD_INDEX", "lower_job"]

JOB_UID = "metadata.labels['batch.kubernetes.io/controller-uid']"
POD_UID = "metadata.uid"
SHARD_INDEX = "metadata.labels['batch.kubernetes.io/job-completion-index']"

_ALL_INDEXES = 2**31 - 1
_PROMOTION = {"limits": {"memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "1Gi"}}

_SHARD = Attempt((("STOWPLAN_JOB_UID", JOB_UID), ("STOWPLAN_POD_UID", POD_UID)), SHARD_INDEX)
_GANG = Attempt((("STOWPLAN_JOB_UID", JOB_UID),))


def lower_job(scene: JobScene) -> Iterator[Manifest]:
    """One indexed Job. A shard's retries count a shard at a time; pods that were disrupted do not count."""
    spec, is_gang = scene.spec, scene.dispatch.workload.training is not None
    count = spec.workers.count if is_gang else spec.shards.count
    parallelism = count if is_gang else spec.shards.parallelism or count
    variables: dict[str, Any] = {
        **metadata_variables(scene, job_name(scene, count)),
        "parallelism": parallelism,
        "completions": count,
        "managed_by": scene.managed_by,
        "deadline": limit_seconds(scene),
        "per_index": None if is_gang else spec.attempts - 1,
        "most_failed": None if is_gang else 0,
        "retries": spec.attempts - 1 if is_gang else _ALL_INDEXES,
        "pod": _pod(scene, is_gang=is_gang),
    }
    yield job_manifest(scene, "jobs/job", variables)


def job_name(scene: JobScene, count: int) -> str:
    """The intent's name; pods are called NAME-INDEX, as host names of 63 characters at most."""
    return limited_name(scene.dispatch.workload.name, 63 - 1 - len(str(count - 1)))


def _pod(scene: JobScene, *, is_gang: bool) -> dict[str, Any]:
    deadline = None
    if not is_gang and scene.spec.duration.limit_per_shard is not None:
        deadline = int(parse_duration(scene.spec.duration.limit_per_shard))
    attempt = _GANG if is_gang else _SHARD
    options = PodOptions("work", attempt, defaults=True, deadline_seconds=deadline)
    promote = scene.spec.output.promote if scene.spec.output is not None else None
    if promote is None:
        return pod_template(scene.fleet, scene.dispatch, options)
    last = container(
        scene.fleet, scene.dispatch, options, name="promote", command=promote, resources=_PROMOTION
    )  # fmt: skip
    work = container(scene.fleet, scene.dispatch, options)
    return pod_template(scene.fleet, scene.dispatch, options, containers=[last], first=[work])
