"""Templates of device claims, on every API server that counts or starts the job's pods."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest
from stowplan.model.plan import PlacementPlan
from stowplan.passes.lower.claims import claim_template, pod_claim
from stowplan.passes.lower.jobs.common import JobScene
from stowplan.passes.lower.jobs.pods import claimed
from stowplan.passes.lower.kueue.units import jobs_unit
from stowplan.passes.lower.targets import cluster_target

__all__ = ["device_templates", "workspace_templates"]


def device_templates(scene: JobScene) -> Iterator[Manifest]:
    """One on every worker, and on the manager, which counts what is claimed; MultiKueue copies none."""
    claim = claimed(scene.fleet, scene.dispatch)
    if claim is None:
        return
    workload = scene.dispatch.workload
    size = workload.entity.at("workers" if workload.training is not None else "shards", "accelerators")
    for target in scene.targets:
        yield claim_template(workload, claim, jobs_unit(target), scene.fleet.clusters[target.cluster], size=size)


def workspace_templates(fleet: Fleet, plan: PlacementPlan) -> Iterator[Manifest]:
    """Users start the pods of a workspace themselves: they find a template for their share of devices."""
    for workload in fleet.workloads:
        placement = plan.placements.get(workload.name)
        if workload.workspace is None or placement is None or workload.entity.spec.state != "active":
            continue
        seen = set()
        for row in placement.assignments:
            claim = pod_claim(fleet, workload, row.cluster, row.flavor)
            if claim is not None and (row.cluster, claim.template) not in seen:
                seen.add((row.cluster, claim.template))
                unit = jobs_unit(cluster_target(fleet, row.cluster))
                yield claim_template(
                    workload,
                    claim,
                    unit,
                    fleet.clusters[row.cluster],
                    size=workload.entity.at("perUser", "accelerators"),
                )
