"""Fields that are left out on purpose: a controller writes them, or not every release of the kind has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from stowplan.source.span import Pointer

__all__ = ["QUEUE_LABEL", "is_handed_over"]

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""Marks objects that Kueue suspends and starts."""

_KUEUE_SUSPENDS: Mapping[str, Pointer] = MappingProxyType(
    {
        "Job": ("spec", "suspend"),
        "JobSet": ("spec", "suspend"),
        "TrainJob": ("spec", "suspend"),
        "PyTorchJob": ("spec", "runPolicy", "suspend"),
        "MPIJob": ("spec", "runPolicy", "suspend"),
        "RayJob": ("spec", "suspend"),
        "RayCluster": ("spec", "suspend"),
    }
)


_SCALED = ("Deployment", "LeaderWorkerSet", "ReplicaSet", "StatefulSet")
"""Kinds whose `spec.replicas` is left out where an autoscaler writes it."""


def is_handed_over(made: Mapping[str, Any], pointer: Pointer) -> bool:
    """Whether the field belongs to a controller, so that the server's default for it is no difference.

    Kueue suspends and starts what carries its queue label; a manifest that says anything of it restarts the job at
    every sync.
    """
    if made.get("kind") in ("RayJob", "RayCluster") and pointer[-1:] == ("priority",) and "workerGroupSpecs" in pointer:
        return True  # from KubeRay 1.7 on; before, an unknown field is refused
    if pointer == ("spec", "replicas") and made.get("kind") in _SCALED:
        return True
    if QUEUE_LABEL not in (made.get("metadata", {}).get("labels") or {}):
        return False
    return _KUEUE_SUSPENDS.get(made.get("kind", "")) == pointer
