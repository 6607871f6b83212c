"""What kinds with a leader beside the workers share: places in the topology for both, and a small pod that leads."""

from __future__ import annotations

from typing import Any

from stowplan.model.fleet import Fleet
from stowplan.passes.lower.jobs.pods import PREFIX, topology_annotations
from stowplan.passes.lower.kueue.dispatch import Dispatch

__all__ = ["LEADER_RESOURCES", "group_annotations", "grouped"]

LEADER_RESOURCES: dict[str, dict[str, str]] = {
    "limits": {"memory": "4Gi"},
    "requests": {"cpu": "1", "memory": "4Gi"},
}
"""What a pod takes that starts or feeds the workers and does no work itself."""

_GROUP = "gang"


def group_annotations(annotations: dict[str, str]) -> dict[str, str]:
    """Annotations of one of two podsets that share a place: one leader and its workers get one flavor and one domain."""
    level = (f"{PREFIX}podset-required-topology", f"{PREFIX}podset-preferred-topology")
    if any(key in annotations for key in level):
        return {**annotations, f"{PREFIX}podset-group-name": _GROUP}
    return annotations


def grouped(fleet: Fleet, dispatch: Dispatch, pod: dict[str, Any]) -> dict[str, Any]:
    """The template as a member of the group."""
    annotations = group_annotations(topology_annotations(fleet, dispatch))
    metadata = dict(pod["metadata"])
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": pod["spec"]}
