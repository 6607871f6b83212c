"""LeaderWorkerSet: a gang that stays until it is taken out, restarted as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.model.manifest import Manifest
from stowplan.passes.lower.jobs.common import JobScene, job_manifest, limit_seconds, metadata_variables
from stowplan.passes.lower.jobs.environment import Attempt
from stowplan.passes.lower.jobs.job import POD_UID
from stowplan.passes.lower.jobs.pods import PodOptions, pod_template
from stowplan.passes.lower.kueue.names import limited_name

__all__ = ["lower_leaderworkerset"]

_OPTIONS = PodOptions("work", Attempt((("STOWPLAN_POD_UID", POD_UID),)), restart="Always")


def lower_leaderworkerset(scene: JobScene) -> Iterator[Manifest]:
    """One group. It has no field for its manager: MultiKueue takes the whole object to one cluster."""
    count = scene.spec.workers.count
    tail = len(f"-0-{max(1, count - 1)}")
    name = limited_name(scene.dispatch.workload.name, 63 - tail, letter_first=True)
    variables = {
        **metadata_variables(scene, name, limit=limit_seconds(scene)),
        "count": count,
        "pod": pod_template(scene.fleet, scene.dispatch, _OPTIONS),
    }
    yield job_manifest(scene, "jobs/leaderworkerset", variables)
