"""What keeps a placed job from being rendered, at the user's lines."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.passes.lower.jobs.common import JobScene
from stowplan.passes.lower.jobs.environment import OBJECT_STORE, PREFIX

__all__ = ["job_problems"]


def job_problems(scene: JobScene) -> Iterator[Diagnostic]:
    """Storage that the cluster lacks, and variables that the compiler sets itself."""
    entity = scene.dispatch.workload.entity
    for purpose in ("checkpoint", "output"):
        yield from _storage(scene, purpose)
    for name in scene.spec.env:
        if name.startswith(PREFIX):
            yield error(
                "SP0721", f"variable `{name}` is the compiler's: names that start with `{PREFIX}` are", entity.at("env", name).key(),
                helps=("give it another name",),
            )  # fmt: skip


def _storage(scene: JobScene, purpose: str) -> Iterator[Diagnostic]:
    place = getattr(scene.spec, purpose)
    if place is None:
        return
    entity, cluster = scene.dispatch.workload.entity, scene.cluster
    storage = cluster.spec.storage
    where = entity.at(purpose, "storage")
    if place.storage == OBJECT_STORE:
        if storage.object_store is None:
            yield error(
                "SP0720", f"`{cluster.name}` has no object store for the {purpose} of `{entity.name}`", where,
                secondary=(Label(cluster.entity.at("storage"), "its storage"),),
                helps=("state `storage.objectStore` of the cluster, or use one of its storage classes",),
            )  # fmt: skip
    elif place.storage not in storage.classes:
        known = ", ".join(f"`{name}`" for name in sorted(storage.classes)) or "none"
        yield error(
            "SP0720", f"`{cluster.name}` has no storage class for `{place.storage}`", where,
            secondary=(Label(cluster.entity.at("storage"), f"storage classes: {known}"),),
        )  # fmt: skip
    elif place.size is None:
        yield error(
            "SP0720", f"the {purpose} on storage class `{place.storage}` needs a size", where,
            helps=("state `size`, such as `500Gi`",),
        )  # fmt: skip
