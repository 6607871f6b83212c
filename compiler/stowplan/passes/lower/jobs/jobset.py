"""JobSet: a gang as one indexed Job that restarts as a whole, and a promotion step after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from stowplan.model.manifest import Manifest
from stowplan.model.quantity import QuantityError, parse_quantity
from stowplan.passes.lower.jobs.common import (
    JobScene,
    component_version,
    job_manifest,
    limit_seconds,
    metadata_variables,
)
from stowplan.passes.lower.jobs.environment import Attempt
from stowplan.passes.lower.jobs.job import JOB_UID, POD_UID, SHARD_INDEX
from stowplan.passes.lower.jobs.pods import PodOptions, container, pod_template
from stowplan.passes.lower.kueue.amounts import format_amount
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["WORKERS", "FurtherJob", "further_jobs", "jobset_attempt", "jobset_name", "lower_jobset", "replicated_job"]

WORKERS = "workers"
_PROMOTE = "promote"
_NAME = re.compile(r"[a-z]([-a-z0-9]{0,18}[a-z0-9])?")
_RESTARTED = "metadata.labels['jobset.sigs.k8s.io/restart-attempt']"
_SET_UID = "metadata.labels['jobset.sigs.k8s.io/jobset-uid']"
_HAS_SET_UID = (0, 9, 0)
_PROMOTION = {"limits": {"memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "1Gi"}}


def jobset_attempt(version: tuple[int, int, int]) -> Attempt:
    """The JobSet's UID and how often it restarted; before JobSet 0.9 the child Job's UID, which a restart changes."""
    if version >= _HAS_SET_UID:
        return Attempt((("STOWPLAN_JOBSET_UID", _SET_UID), ("STOWPLAN_RESTART", _RESTARTED)))
    return Attempt((("STOWPLAN_JOB_UID", JOB_UID),))


def jobset_name(name: str, replicated_job: str, count: int) -> str:
    """Pods are called NAME-JOB-0-INDEX-xxxxx, 63 characters at most."""
    tail = len(f"-{replicated_job}-0-{count - 1}-xxxxx")
    return limited_name(name, 63 - tail, letter_first=True)


def lower_jobset(scene: JobScene) -> Iterator[Manifest]:
    """One JobSet. A failed worker fails its Job, and the set starts again; disruptions do not count as attempts."""
    workload = scene.dispatch.workload
    options = PodOptions("work", jobset_attempt(component_version(scene.cluster, "jobset")))
    if workload.training is not None:
        count, at_a_time, per_index = scene.spec.workers.count, scene.spec.workers.count, None
    else:
        shards = scene.spec.shards
        count, at_a_time, per_index = shards.count, shards.parallelism or shards.count, scene.spec.attempts - 1
        options = replace(
            options, attempt=Attempt((*options.attempt.identity, ("STOWPLAN_POD_UID", POD_UID)), SHARD_INDEX)
        )
    pod = pod_template(scene.fleet, scene.dispatch, options)
    jobs = [replicated_job(WORKERS, count, at_a_time, pod, deadline=limit_seconds(scene), per_index=per_index)]
    jobs.extend(_further(scene, options, row) for row in further_jobs(scene.spec.options.get("replicatedJobs")))
    promote = scene.spec.output.promote if scene.spec.output is not None else None
    if promote is not None:
        jobs.append(_promotion(scene, options, promote))
    variables: dict[str, Any] = {
        **metadata_variables(scene, jobset_name(workload.name, WORKERS, count)),
        "managed_by": scene.managed_by,
        "retries": scene.spec.attempts - 1 if per_index is None else 0,
        "jobs": jobs,
    }
    yield job_manifest(scene, "jobs/jobset", variables)


def replicated_job(
    name: str,
    count: int,
    at_a_time: int,
    pod: dict[str, Any],
    *,
    deadline: int | None = None,
    per_index: int | None = None,
) -> dict[str, Any]:
    """One child Job. A gang fails at its first failure; shards (`per_index` retries each) fail one by one."""
    disrupted = [{"type": "DisruptionTarget", "status": "True"}]
    job: dict[str, Any] = {
        "completionMode": "Indexed",
        "completions": count,
        "parallelism": at_a_time,
        "podFailurePolicy": {
            "rules": [{"action": "FailJob" if per_index is None else "Ignore", "onPodConditions": disrupted}]
        },
        "template": pod,
    }
    if per_index is None:
        job["backoffLimit"] = 0
    else:
        job["backoffLimitPerIndex"], job["maxFailedIndexes"] = per_index, 0
    if deadline is not None:
        job["activeDeadlineSeconds"] = deadline
    return {"name": name, "replicas": 1, "groupName": "default", "template": {"metadata": {}, "spec": job}}


@dataclass(frozen=True, slots=True)
class FurtherJob:
    """A replicated job beside the workers: a reader, a parameter server, an evaluator. Its pods take no accelerators."""

    name: str
    count: int
    command: tuple[str, ...]
    cpu: str
    memory: str


def further_jobs(given: object) -> tuple[FurtherJob, ...]:
    """Option `replicatedJobs`, read; raises ValueError with what is wrong with it."""
    if given is None:
        return ()
    if not isinstance(given, list):
        raise ValueError("`replicatedJobs` is a list of `name`, `count`, `command`, `cpu`, and `memory`")
    made = tuple(_read_further(row) for row in given)
    names = [row.name for row in made]
    if len({*names, WORKERS, _PROMOTE}) < len(names) + 2:
        raise ValueError(f"names of replicated jobs are all different, and not `{WORKERS}` or `{_PROMOTE}`")
    return made


def _read_further(row: object) -> FurtherJob:
    if not isinstance(row, dict) or set(row) - {"name", "count", "command", "cpu", "memory"}:
        raise ValueError("an entry of `replicatedJobs` has `name`, `count`, `command`, `cpu`, and `memory`")
    name, count, command = row.get("name"), row.get("count", 1), row.get("command")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError("the name of a replicated job is a DNS label of at most 20 characters")
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 10_000:
        raise ValueError(f"`count` of `{name}` is a number from 1 to 10000")
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        raise ValueError(f"`command` of `{name}` is a list of words")
    try:
        cpu, memory = parse_quantity(str(row["cpu"])), parse_quantity(str(row["memory"]))
    except (KeyError, QuantityError):
        raise ValueError(f"`cpu` and `memory` of `{name}` are quantities") from None
    return FurtherJob(name, count, tuple(command), format_amount("cpu", cpu), format_amount("memory", memory))


def _further(scene: JobScene, options: PodOptions, row: FurtherJob) -> dict[str, Any]:
    mine = replace(options, topology=False)
    resources = {"limits": {"memory": row.memory}, "requests": {"cpu": row.cpu, "memory": row.memory}}
    works = container(scene.fleet, scene.dispatch, mine, command=row.command, resources=resources)
    pod = pod_template(scene.fleet, scene.dispatch, mine, containers=[works])
    return replicated_job(row.name, row.count, row.count, pod)


def _promotion(scene: JobScene, options: PodOptions, command: tuple[str, ...]) -> dict[str, Any]:
    """A Job that starts when the workers' has completed; it knows the attempt by the set's UID and restart."""
    mine = replace(options, topology=False)
    last = container(scene.fleet, scene.dispatch, mine, name=_PROMOTE, command=command, resources=_PROMOTION)
    pod = pod_template(scene.fleet, scene.dispatch, mine, containers=[last])
    made = replicated_job(_PROMOTE, 1, 1, pod)
    made["dependsOn"] = [{"name": WORKERS, "status": "Complete"}]
    return made
