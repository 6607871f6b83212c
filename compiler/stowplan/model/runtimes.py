"""What each runtime needs on a cluster: the operator's component name and the API that must be served."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KUEUE_APIS", "RUNTIMES", "Release", "Runtime"]


Release = tuple[int, int, int]
"""Major, minor, and patch of a release."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """A kind of object that runs work.

    `apis` are alternatives, the preferred first; `framework` is Kueue's name for it, None where Kueue cannot hold it;
    `multikueue` is Kueue's first release whose MultiKueue dispatches it, `resized` the first whose MultiKueue brings a
    new size to what runs on a worker. None: no release does.
    """

    kind: str
    components: tuple[str, ...]
    apis: tuple[str, ...]
    framework: str | None
    multikueue: Release | None
    resized: Release | None = None


RUNTIMES = {
    r.kind: r
    for r in (
        Runtime("Job", (), ("batch/v1",), "batch/job", (0, 8, 0), (0, 14, 0)),
        Runtime("JobSet", ("jobset",), ("jobset.x-k8s.io/v1alpha2",), "jobset.x-k8s.io/jobset", (0, 8, 0)),
        Runtime(
            "TrainJob", ("trainer",), ("trainer.kubeflow.org/v1alpha1",), "trainer.kubeflow.org/trainjob", (0, 14, 0)
        ),
        Runtime("PyTorchJob", ("training-operator",), ("kubeflow.org/v1",), "kubeflow.org/pytorchjob", (0, 9, 0)),
        Runtime("MPIJob", ("mpi-operator",), ("kubeflow.org/v2beta1",), "kubeflow.org/mpijob", (0, 9, 0)),
        Runtime("RayJob", ("kuberay",), ("ray.io/v1",), "ray.io/rayjob", (0, 11, 0)),
        Runtime("RayCluster", ("kuberay",), ("ray.io/v1",), "ray.io/raycluster", (0, 11, 0), (0, 19, 0)),
        Runtime(
            "LeaderWorkerSet",
            ("lws",),
            ("leaderworkerset.x-k8s.io/v1",),
            "leaderworkerset.x-k8s.io/leaderworkerset",
            (0, 17, 0),
        ),
        Runtime("VolcanoJob", ("volcano",), ("batch.volcano.sh/v1alpha1",), None, None),
        Runtime("Pods", (), ("v1",), "pod", (0, 11, 0)),
    )
}
"""Runtimes by the name users write. Facts: research/kueue.md on integrations."""

KUEUE_APIS = ("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1")
"""Versions of Kueue's API that can be rendered, the preferred first."""
