"""Claims for checkpoints and outputs that lie on a storage class, on every cluster that may run the job."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.model.manifest import Manifest
from stowplan.model.quantity import canonical_quantity
from stowplan.passes.lower.jobs.common import JobScene
from stowplan.passes.lower.jobs.environment import OBJECT_STORE, volume_name
from stowplan.passes.lower.kueue.units import jobs_unit
from stowplan.passes.lower.targets import cluster_target

__all__ = ["claim_manifests"]


def claim_manifests(scene: JobScene) -> Iterator[Manifest]:
    """One claim for each purpose and cluster; MultiKueue copies none."""
    candidates = scene.dispatch.candidates
    clusters = candidates.clusters if candidates is not None else (scene.dispatch.cluster,)
    workload = scene.dispatch.workload
    for purpose in ("checkpoint", "output"):
        place = getattr(scene.spec, purpose)
        if place is None or place.storage == OBJECT_STORE or place.size is None:
            continue
        for cluster in clusters:
            classes = scene.fleet.clusters[cluster].spec.storage.classes
            variables = {
                "name": volume_name(workload.name, purpose),
                "namespace": workload.namespace,
                "intent": workload.name,
                "tenant": workload.tenant,
                "size": canonical_quantity(place.size, resource_list=True),
                "storage_class": classes[place.storage],
            }
            entity = workload.entity
            origins = {(): entity.at(purpose), ("size",): entity.at(purpose, "size"), ("name",): entity.name_origin}
            unit = jobs_unit(cluster_target(scene.fleet, cluster))
            yield Manifest(unit, "jobs/persistentvolumeclaim", variables, origins, f"workload/{workload.name}")
