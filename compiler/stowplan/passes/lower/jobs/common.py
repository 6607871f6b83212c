"""What every kind of job carries: where it goes, its name, its labels, and where each part came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.handedover import QUEUE_LABEL
from stowplan.model.manifest import Manifest, Target, Unit
from stowplan.model.quantity import parse_duration
from stowplan.passes.lower.jobs.pods import work_labels
from stowplan.passes.lower.kueue.dialect import version_of
from stowplan.passes.lower.kueue.dispatch import Dispatch
from stowplan.passes.lower.kueue.units import jobs_unit
from stowplan.passes.lower.targets import cluster_target, manager_target
from stowplan.source.span import Origin

__all__ = [
    "MULTIKUEUE",
    "JobScene",
    "component_version",
    "job_manifest",
    "limit_seconds",
    "metadata_variables",
]

MULTIKUEUE = "kueue.x-k8s.io/multikueue"
_MAX_SECONDS_LABEL = "kueue.x-k8s.io/max-exec-time-seconds"


@dataclass(frozen=True, slots=True)
class JobScene:
    """One job to render: the fleet, its dispatch, and the unit it goes to."""

    fleet: Fleet
    dispatch: Dispatch
    unit: Unit

    @property
    def spec(self) -> Any:
        """The intent's spec."""
        return self.dispatch.workload.entity.spec

    @property
    def cluster(self) -> Cluster:
        """The cluster that the plan wants."""
        return self.fleet.clusters[self.dispatch.cluster]

    @property
    def managed_by(self) -> str | None:
        """MultiKueue's name where the manager dispatches it; the field cannot be changed later."""
        return MULTIKUEUE if self.dispatch.candidates is not None else None

    @property
    def targets(self) -> tuple[Target, ...]:
        """Every API server that knows the job's pods: the workers that may run it, and the manager that counts them."""
        candidates = self.dispatch.candidates
        names = candidates.clusters if candidates is not None else (self.dispatch.cluster,)
        manager = manager_target(self.fleet) if candidates is not None else None
        return (*(cluster_target(self.fleet, name) for name in names), *((manager,) if manager is not None else ()))

    @classmethod
    def of(cls, fleet: Fleet, dispatch: Dispatch) -> JobScene:
        """The manager's unit for what MultiKueue dispatches, the member's for the rest."""
        target = manager_target(fleet) if dispatch.candidates is not None else None
        return cls(fleet, dispatch, jobs_unit(target or cluster_target(fleet, dispatch.cluster)))


def component_version(cluster: Cluster, component: str) -> tuple[int, int, int]:
    """The declared version of a component, all zero where it is not declared."""
    return version_of(cluster.spec.components.get(component, "0"))


def limit_seconds(scene: JobScene) -> int | None:
    """The gang's time limit."""
    training = scene.dispatch.workload.training
    limit = training.duration.limit if training is not None else None
    return None if limit is None else int(parse_duration(limit))


def metadata_variables(scene: JobScene, name: str, *, limit: int | None = None) -> dict[str, Any]:
    """Name, namespace, and labels. `limit` goes into Kueue's own label, for kinds without a deadline."""
    workload = scene.dispatch.workload
    labels = dict(work_labels(workload))
    if scene.dispatch.queue is not None:
        labels[QUEUE_LABEL] = scene.dispatch.queue
        labels["kueue.x-k8s.io/priority-class"] = workload.priority
        if limit is not None:
            labels[_MAX_SECONDS_LABEL] = str(limit)
    annotations = {"kueue.x-k8s.io/elastic-job": "true"} if scene.spec.options.get("elastic") is True else {}
    return {
        "name": name,
        "namespace": workload.namespace,
        "labels": dict(sorted(labels.items())),
        "annotations": annotations,
    }


def job_manifest(scene: JobScene, template: str, variables: Mapping[str, Any]) -> Manifest:
    """The manifest with the places that its variables came from."""
    workload = scene.dispatch.workload
    delivered = "multikueue" if scene.dispatch.candidates is not None else "gitops"
    return Manifest(scene.unit, template, variables, _origins(scene), f"workload/{workload.name}", delivered)


_CHILD: Final = ("jobs", 0, "template", "spec")
"""The first child Job of a JobSet: that of the workers."""


def _origins(scene: JobScene) -> dict[Any, Origin]:
    entity = scene.dispatch.workload.entity
    size = "workers" if scene.dispatch.workload.training is not None else "shards"
    count, resources = entity.at(size, "count"), entity.at(size)
    flavor = scene.fleet.flavors[scene.dispatch.assignment.flavor]
    origins: dict[Any, Origin] = {
        (): entity.origin,
        ("name",): entity.name_origin,
        ("namespace",): entity.at("namespace") if scene.spec.namespace else entity.at("tenant"),
        ("labels", "stowplan.io/tenant"): entity.at("tenant"),
        ("labels", "kueue.x-k8s.io/priority-class"): entity.at("priority"),
        ("completions",): count,
        ("parallelism",): count,
        ("count",): count,
        ("retries",): entity.at("attempts"),
        ("deadline",): entity.at("duration"),
        ("image",): entity.at("image"),
        ("command",): entity.at("command"),
        ("env",): entity.at("env"),
        ("resources",): resources,
        (*_CHILD, "completions"): count,
        (*_CHILD, "parallelism"): count,
        (*_CHILD, "activeDeadlineSeconds"): entity.at("duration"),
    }
    for pod in (("pod",), (*_CHILD, "template")):
        work = (*pod, "spec", "containers", 0)
        origins |= {
            (*work, "image"): entity.at("image"),
            (*work, "command"): entity.at("command"),
            (*work, "env"): entity.at("env"),
            (*work, "resources"): resources,
            (*pod, "spec", "affinity"): flavor.at("nodeLabels"),
            (*pod, "spec", "tolerations"): entity.at("tolerations"),
            (*pod, "spec", "volumes"): entity.at("secrets"),
            (*pod, "metadata", "annotations"): entity.at("topology"),
        }
    route = getattr(scene.spec, "route", None)
    if route is not None:
        origins["labels", QUEUE_LABEL] = entity.at("route")
    return origins
