"""Pod sets of a job as Kueue counts them, and what their pods ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from stowplan.kueue.tree import Side, amount_of
from stowplan.model.rendered import RenderedObject
from stowplan.passes.lower.kueue.amounts import Amounts
from stowplan.source.span import Pointer

__all__ = ["PodSet", "pod_requests", "podsets_of", "read_podsets"]


@dataclass(frozen=True, slots=True)
class PodSet:
    """`count` equal pods; `template` is the pod template as written, `pointer` its place in the object."""

    name: str
    count: int
    template: Mapping[str, Any]
    pointer: Pointer
    namespace: str = ""

    @property
    def pod(self) -> Mapping[str, Any]:
        """The pod's spec."""
        found: Mapping[str, Any] = self.template.get("spec") or {}
        return found

    @property
    def annotations(self) -> Mapping[str, str]:
        """Annotations of the template."""
        found: Mapping[str, str] = (self.template.get("metadata") or {}).get("annotations") or {}
        return found

    def requests(self) -> Amounts:
        """What one pod asks for."""
        return pod_requests(self.pod)


def podsets_of(made: RenderedObject, side: Side | None = None) -> tuple[PodSet, ...]:
    """The pod sets of a job of any kind that is known; none for others.

    A TrainJob leaves to its runtime what it does not say itself: `side` has the runtimes that are a job's own.
    """
    found = [replace(podset, namespace=made.namespace or "") for podset in read_podsets(made.kind, made.object)]
    spec = made.object.get("spec") or {}
    if made.kind == "TrainJob" and side is not None and "resourcesPerNode" not in (spec.get("trainer") or {}):
        runtime = side.runtimes.get((made.namespace or "", str((spec.get("runtimeRef") or {}).get("name"))))
        found = [_as_in_runtime(podset, runtime) for podset in found] if runtime is not None else found
    return tuple(found)


def _as_in_runtime(podset: PodSet, runtime: RenderedObject) -> PodSet:
    """A TrainJob's pods with the containers and claims that its runtime gives them."""
    for row in (((runtime.object.get("spec") or {}).get("template") or {}).get("spec") or {}).get(
        "replicatedJobs"
    ) or []:
        pod = ((((row.get("template") or {}).get("spec") or {}).get("template") or {}).get("spec")) or {}
        if row.get("name") == podset.name:
            kept = {name: pod[name] for name in ("containers", "initContainers", "resourceClaims") if name in pod}
            return replace(podset, template={**podset.template, "spec": {**podset.pod, **kept}})
    return podset


def read_podsets(kind: str, made: Mapping[str, Any]) -> tuple[PodSet, ...]:
    """The pod sets of a job's document."""
    reader, spec = _READERS.get(kind), made.get("spec")
    return tuple(reader(spec, made)) if reader is not None and isinstance(spec, dict) else ()


def pod_requests(pod: Mapping[str, Any]) -> Amounts:
    """As Kueue sums: containers and sidecars together, or the largest init container; limits where no request is."""
    total: Amounts = {}
    largest: Amounts = {}
    sidecars: Amounts = {}
    for row in pod.get("initContainers") or []:
        asked = _asked(row)
        if row.get("restartPolicy") == "Always":
            _add(sidecars, asked)
        for name, amount in asked.items():
            with_sidecars = amount + (sidecars.get(name, Fraction(0)) if row.get("restartPolicy") != "Always" else 0)
            largest[name] = max(largest.get(name, Fraction(0)), with_sidecars)
    for row in pod.get("containers") or []:
        _add(total, _asked(row))
    _add(total, sidecars)
    for name, amount in largest.items():
        total[name] = max(total.get(name, Fraction(0)), amount)
    _add(total, {name: _quantity(text) for name, text in (pod.get("overhead") or {}).items()})
    total["pods"] = Fraction(1)
    return total


def _asked(container: Mapping[str, Any]) -> Amounts:
    resources = container.get("resources") or {}
    wanted = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {name: _quantity(text) for name, text in wanted.items()}


def _quantity(text: Any) -> Fraction:
    return amount_of(text) or Fraction(0)


def _add(total: Amounts, more: Mapping[str, Fraction]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, Fraction(0)) + amount


def _job(spec: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[PodSet]:
    yield PodSet("main", spec.get("parallelism", 1), spec.get("template") or {}, ("spec", "template"))


def _jobset(spec: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[PodSet]:
    for index, row in enumerate(spec.get("replicatedJobs") or []):
        job = (row.get("template") or {}).get("spec") or {}
        parallelism, completions = job.get("parallelism", 1), job.get("completions")
        each = parallelism if completions is None else min(parallelism, completions)
        pointer = ("spec", "replicatedJobs", index, "template", "spec", "template")
        yield PodSet(str(row.get("name")), row.get("replicas", 1) * each, job.get("template") or {}, pointer)


def _trainjob(spec: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[PodSet]:
    trainer = spec.get("trainer") or {}
    metadata: dict[str, Any] = {}
    pod: dict[str, Any] = {}
    pointer: Pointer = ("spec", "trainer")
    for index, patch in enumerate(spec.get("runtimePatches") or []):
        jobs = (((patch.get("trainingRuntimeSpec") or {}).get("template") or {}).get("spec") or {}).get(
            "replicatedJobs"
        )
        for step, row in enumerate(jobs or []):
            template = ((row.get("template") or {}).get("spec") or {}).get("template") or {}
            metadata.update(template.get("metadata") or {})
            pod.update(template.get("spec") or {})
            pointer = (
                "spec", "runtimePatches", index, "trainingRuntimeSpec", "template", "spec", "replicatedJobs", step,
                "template", "spec", "template",
            )  # fmt: skip
    for index, row in enumerate(spec.get("podTemplateOverrides") or []):
        metadata.update(row.get("metadata") or {})
        pod.update(row.get("spec") or {})
        pointer = ("spec", "podTemplateOverrides", index)
    work = {"name": "node", "resources": trainer.get("resourcesPerNode") or {}}
    yield PodSet(
        "node", trainer.get("numNodes", 1), {"metadata": metadata, "spec": {**pod, "containers": [work]}}, pointer
    )


def _replicas(field: str) -> Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[PodSet]]:
    def read(spec: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[PodSet]:
        for role, row in sorted((spec.get(field) or {}).items()):
            yield PodSet(
                role.lower(), row.get("replicas", 1), row.get("template") or {}, ("spec", field, role, "template")
            )

    return read


def _ray(path: Pointer) -> Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[PodSet]]:
    def read(spec: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[PodSet]:
        cluster: Mapping[str, Any] = (spec.get("rayClusterSpec") or {}) if path[-1] == "rayClusterSpec" else spec
        head = (cluster.get("headGroupSpec") or {}).get("template") or {}
        yield PodSet("head", 1, head, (*path, "headGroupSpec", "template"))
        for index, row in enumerate(cluster.get("workerGroupSpecs") or []):
            count = row.get("replicas", 1) * row.get("numOfHosts", 1)
            yield PodSet(
                str(row.get("groupName")),
                count,
                row.get("template") or {},
                (*path, "workerGroupSpecs", index, "template"),
            )
        if path[-1] == "rayClusterSpec" and spec.get("submissionMode", "K8sJobMode") == "K8sJobMode":
            submitter = spec.get("submitterPodTemplate") or _SUBMITTER
            yield PodSet("submitter", 1, submitter, ("spec", "submitterPodTemplate"))

    return read


_SUBMITTER = {"spec": {"containers": [{"resources": {"requests": {"cpu": "500m", "memory": "200Mi"}}}]}}


def _leaderworkerset(spec: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[PodSet]:
    group = spec.get("leaderWorkerTemplate") or {}
    size = group.get("size", 1)
    leader = group.get("leaderTemplate")
    pointer = ("spec", "leaderWorkerTemplate", "workerTemplate")
    if leader is None:
        yield PodSet("main", size, group.get("workerTemplate") or {}, pointer)
        return
    yield PodSet("leader", 1, leader, ("spec", "leaderWorkerTemplate", "leaderTemplate"))
    yield PodSet("worker", size - 1, group.get("workerTemplate") or {}, pointer)


def _pod(spec: Mapping[str, Any], made: Mapping[str, Any]) -> Iterator[PodSet]:
    yield PodSet("main", 1, {"metadata": made.get("metadata") or {}, "spec": spec}, ())


_READERS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[PodSet]]] = {
    "Job": _job,
    "JobSet": _jobset,
    "TrainJob": _trainjob,
    "PyTorchJob": _replicas("pytorchReplicaSpecs"),
    "MPIJob": _replicas("mpiReplicaSpecs"),
    "RayJob": _ray(("spec", "rayClusterSpec")),
    "RayCluster": _ray(("spec",)),
    "LeaderWorkerSet": _leaderworkerset,
    "Pod": _pod,
}
