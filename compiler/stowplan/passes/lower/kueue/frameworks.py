"""Kueue's names for kinds of jobs, and what the manager needs of them on a worker."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from stowplan.model.fleet import Fleet
from stowplan.model.runtimes import RUNTIMES

__all__ = ["FRAMEWORKS", "Framework", "frameworks_of", "manager_frameworks"]


@dataclass(frozen=True, slots=True)
class Framework:
    """An integration: its name in Kueue's configuration, the kind's API group and plural, its CRD's group/version.

    `updates` says that the manager changes the object on the worker after it made it.
    """

    name: str
    group: str
    plural: str
    api: str
    updates: bool = False

    @property
    def is_built_in(self) -> bool:
        """Whether every cluster has the kind."""
        return self.group in ("", "batch", "apps")


FRAMEWORKS = {
    f.name: f
    for f in (
        Framework("batch/job", "batch", "jobs", "batch/v1"),
        Framework("jobset.x-k8s.io/jobset", "jobset.x-k8s.io", "jobsets", "jobset.x-k8s.io/v1alpha2"),
        Framework("trainer.kubeflow.org/trainjob", "trainer.kubeflow.org", "trainjobs", "trainer.kubeflow.org/v1alpha1"),
        Framework("kubeflow.org/pytorchjob", "kubeflow.org", "pytorchjobs", "kubeflow.org/v1"),
        Framework("kubeflow.org/mpijob", "kubeflow.org", "mpijobs", "kubeflow.org/v2beta1"),
        Framework("ray.io/rayjob", "ray.io", "rayjobs", "ray.io/v1"),
        Framework("ray.io/raycluster", "ray.io", "rayclusters", "ray.io/v1", updates=True),
        Framework(
            "leaderworkerset.x-k8s.io/leaderworkerset",
            "leaderworkerset.x-k8s.io",
            "leaderworkersets",
            "leaderworkerset.x-k8s.io/v1",
        ),
        Framework("pod", "", "pods", "v1"),
    )
}  # fmt: skip
"""By name, in the order in which configurations list them."""

_IMPLIED = {
    "trainer.kubeflow.org/trainjob": ("jobset.x-k8s.io/jobset",),
    "ray.io/rayjob": ("ray.io/raycluster",),
    "leaderworkerset.x-k8s.io/leaderworkerset": ("pod",),
}
"""Integrations that another one builds on."""


def frameworks_of(runtimes: Iterable[str]) -> tuple[Framework, ...]:
    """The integrations that some runtimes need, plain Jobs always, in the order of configurations."""
    names = {"batch/job"}
    for runtime in runtimes:
        framework = RUNTIMES[runtime].framework
        if framework is not None:
            names.add(framework)
            names.update(_IMPLIED.get(framework, ()))
    return tuple(framework for name, framework in FRAMEWORKS.items() if name in names)


def manager_frameworks(fleet: Fleet, placed: Collection[str]) -> tuple[Framework, ...]:
    """The integrations of the manager: those of the placed workloads (by name) that MultiKueue dispatches.

    What is placed nowhere asks no worker for its definitions, or one intent of an odd runtime would take all workers out.
    """
    runtimes = {
        str(w.entity.spec.runtime)  # type: ignore[union-attr]
        for w in fleet.workloads
        if w.dispatch == "multikueue" and not w.is_service and w.name in placed
    }
    return frameworks_of(sorted(runtimes))
