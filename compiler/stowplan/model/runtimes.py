"""What each runtime needs on a cluster: the operator's component name and the API that must be served."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KUEUE_APIS", "RUNTIMES", "Runtime"]


@dataclass(frozen=True, slots=True)
class Runtime:
    """A kind of object that runs work.

    `apis` are alternatives, the preferred first; `framework` is Kueue's name for it, None where Kueue cannot hold it;
    `multikueue` tells whether MultiKueue dispatches it.
    """

    kind: str
    components: tuple[str, ...]
    apis: tuple[str, ...]
    framework: str | None
    multikueue: bool


RUNTIMES = {
    r.kind: r
    for r in (
        Runtime("Job", (), ("batch/v1",), "batch/job", True),
        Runtime("JobSet", ("jobset",), ("jobset.x-k8s.io/v1alpha2",), "jobset.x-k8s.io/jobset", True),
        Runtime("TrainJob", ("trainer",), ("trainer.kubeflow.org/v1alpha1",), "trainer.kubeflow.org/trainjob", True),
        Runtime("PyTorchJob", ("training-operator",), ("kubeflow.org/v1",), "kubeflow.org/pytorchjob", True),
        Runtime("MPIJob", ("mpi-operator",), ("kubeflow.org/v2beta1",), "kubeflow.org/mpijob", True),
        Runtime("RayJob", ("kuberay",), ("ray.io/v1",), "ray.io/rayjob", True),
        Runtime("RayCluster", ("kuberay",), ("ray.io/v1",), "ray.io/raycluster", True),
        Runtime(
            "LeaderWorkerSet",
            ("lws",),
            ("leaderworkerset.x-k8s.io/v1",),
            "leaderworkerset.x-k8s.io/leaderworkerset",
            True,
        ),
        Runtime("VolcanoJob", ("volcano",), ("batch.volcano.sh/v1alpha1",), None, False),
        Runtime("Pods", (), ("v1",), "pod", True),
    )
}
"""Runtimes by the name users write. Facts: research/kueue.md on integrations."""

KUEUE_APIS = ("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1")
"""Versions of Kueue's API that can be rendered, the preferred first."""
