"""Plain pods: a group that Kueue admits together, or shards that it admits one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stowplan.model.manifest import Manifest
from stowplan.passes.lower.jobs.common import JobScene, job_manifest, limit_seconds, metadata_variables
from stowplan.passes.lower.jobs.environment import Attempt
from stowplan.passes.lower.jobs.job import POD_UID
from stowplan.passes.lower.jobs.pods import PREFIX, PodOptions, pod_template
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["MOST_PODS", "lower_pods"]

MOST_PODS = 500
"""Pods of one intent: each is an object, and Kueue keeps a group in one Workload."""

_SHARD = "stowplan.io/shard"
"""Kueue's own index is for members of a group: of a pod that stands alone it takes 0 only."""
_INDEX = f"metadata.labels['{_SHARD}']"


def lower_pods(scene: JobScene) -> Iterator[Manifest]:
    """Pods are not retried: whatever ends, has ended. A gang forms a group; shards stand alone.

    Kueue has to be told of a group that nobody replaces its pods: it would wait for that, and hold quota and finalizers
    of a gang that failed or was taken out.
    """
    workload = scene.dispatch.workload
    is_gang = workload.training is not None
    count = scene.spec.workers.count if is_gang else scene.spec.shards.count
    attempt = Attempt((("STOWPLAN_POD_UID", POD_UID),), None if is_gang else _INDEX)
    pod = pod_template(
        scene.fleet, scene.dispatch, PodOptions("work", attempt, defaults=True, deadline_seconds=limit_seconds(scene))
    )
    pod["spec"]["enableServiceLinks"] = True
    name = limited_name(workload.name, 63 - 1 - len(str(count - 1)))
    for index in range(count):
        yield job_manifest(scene, "jobs/pod", _one(scene, f"{name}-{index}", name, index, count, pod, is_gang=is_gang))


def _one(
    scene: JobScene, name: str, group: str, index: int, count: int, pod: dict[str, Any], *, is_gang: bool
) -> dict[str, Any]:
    variables = metadata_variables(scene, name)
    labels, annotations = dict(variables["labels"]), dict(pod["metadata"].get("annotations", {}))
    if is_gang:
        labels |= {f"{PREFIX}pod-group-name": group, f"{PREFIX}pod-group-pod-index": str(index)}
        annotations |= {f"{PREFIX}pod-group-total-count": str(count), f"{PREFIX}retriable-in-group": "false"}
    else:
        labels[_SHARD] = str(index)
    return {**variables, "labels": dict(sorted(labels.items())), "annotations": annotations, "pod": pod}
