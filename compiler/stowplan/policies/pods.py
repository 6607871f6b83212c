"""Where the kinds that run pods hold their pod templates: one table, for reading them and for exporting policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["POD_KINDS", "Steps", "is_pod_kind", "pod_paths", "pod_templates"]

Steps = tuple[str, ...]
"""A path to pod templates; `*` stands for every item of a list or value of a map."""

_TEMPLATE: Final = (("spec", "template"),)
_JOB_TEMPLATES: Final = ("replicatedJobs", "*", "template", "spec", "template")
_RAY: Final = (("headGroupSpec", "template"), ("workerGroupSpecs", "*", "template"))


def _replicas(field: str) -> tuple[Steps, ...]:
    return (("spec", field, "*", "template"),)


def _ray(*steps: str) -> tuple[Steps, ...]:
    return tuple((*steps, *rest) for rest in _RAY)


POD_KINDS: Final[Mapping[tuple[str, str], tuple[Steps, ...]]] = {
    ("", "Pod"): ((),),
    ("", "ReplicationController"): _TEMPLATE,
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("batch", "CronJob"): (("spec", "jobTemplate", "spec", "template"),),
    ("batch", "Job"): _TEMPLATE,
    ("batch.volcano.sh", "Job"): (("spec", "tasks", "*", "template"),),
    ("jobset.x-k8s.io", "JobSet"): (("spec", *_JOB_TEMPLATES),),
    ("kubeflow.org", "JAXJob"): _replicas("jaxReplicaSpecs"),
    ("kubeflow.org", "MPIJob"): _replicas("mpiReplicaSpecs"),
    ("kubeflow.org", "PaddleJob"): _replicas("paddleReplicaSpecs"),
    ("kubeflow.org", "PyTorchJob"): _replicas("pytorchReplicaSpecs"),
    ("kubeflow.org", "TFJob"): _replicas("tfReplicaSpecs"),
    ("kubeflow.org", "XGBoostJob"): _replicas("xgbReplicaSpecs"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): (
        ("spec", "leaderWorkerTemplate", "leaderTemplate"),
        ("spec", "leaderWorkerTemplate", "workerTemplate"),
    ),
    ("ray.io", "RayCluster"): _ray("spec"),
    ("ray.io", "RayJob"): _ray("spec", "rayClusterSpec"),
    ("ray.io", "RayService"): _ray("spec", "rayClusterConfig"),
    ("trainer.kubeflow.org", "ClusterTrainingRuntime"): (("spec", "template", "spec", *_JOB_TEMPLATES),),
    ("trainer.kubeflow.org", "TrainingRuntime"): (("spec", "template", "spec", *_JOB_TEMPLATES),),
}
"""Paths of pod templates by API group and kind."""


def is_pod_kind(api_version: str, kind: str) -> bool:
    """Whether objects of the kind hold pod templates at places we know."""
    return (api_version.rpartition("/")[0], kind) in POD_KINDS


def pod_paths(api_version: str, kind: str) -> tuple[Steps, ...]:
    """Where the kind holds pod templates; nothing for kinds that hold none."""
    return POD_KINDS.get((api_version.rpartition("/")[0], kind), ())


def pod_templates(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every pod template of an object, each with its `path`."""
    found: list[dict[str, Any]] = []
    for steps in pod_paths(str(value.get("apiVersion")), str(value.get("kind"))):
        for template, path in _walk(value, steps, ""):
            if isinstance(template, dict):
                found.append({**template, "path": path})
    return found


def _walk(value: Any, steps: Steps, path: str) -> Iterator[tuple[Any, str]]:
    if not steps:
        yield value, path
        return
    step, rest = steps[0], steps[1:]
    if step == "*":
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in entries:
            below = f"{path}[{key}]" if isinstance(value, list) else f"{path}.{key}"
            yield from _walk(item, rest, below)
    elif isinstance(value, dict) and step in value:
        yield from _walk(value[step], rest, f"{path}.{step}" if path else step)
