"""Predicates on data: class, residency, and whether a copy of the right version can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stowplan.model.eligibility import Predicate, Reason
from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.inventory import Transfer
from stowplan.model.inputs.tenant import ArtifactSpec
from stowplan.model.workload import Workload
from stowplan.passes.eligibility.context import ClusterCase, reason
from stowplan.source.span import Origin

__all__ = [
    "CLUSTER_PREDICATES",
    "Copy",
    "data_artifacts",
    "data_names",
    "image_artifacts",
    "image_names",
    "nearest_copy",
]


@dataclass(frozen=True, slots=True)
class Copy:
    """The best way to an artifact: local, open to every cluster (`transfer` None), or by a transfer row."""

    is_local: bool
    uri: str | None
    transfer: Transfer | None
    source: str | None


def data_artifacts(workload: Workload) -> list[tuple[str, Origin]]:
    """Data and models the workload reads, with where it says so."""
    entity = workload.entity
    found = [
        (need.artifact, entity.at("data", i, "artifact")) for i, need in enumerate(getattr(entity.spec, "data", ()))
    ]
    if workload.inference is not None:
        found.append((workload.inference.model, entity.at("model")))
    return found


def image_artifacts(workload: Workload) -> list[tuple[str, Origin]]:
    """Images the workload runs, with where it says so."""
    entity = workload.entity
    if workload.inference is not None:
        return [(workload.inference.engine.image, entity.at("engine", "image"))]
    image = getattr(entity.spec, "image", None)
    return [] if image is None else [(image, entity.at("image"))]


def data_names(workload: Workload) -> tuple[str, ...]:
    """The names of `data_artifacts`."""
    names = tuple([need.artifact for need in getattr(workload.entity.spec, "data", ())])
    return names if workload.inference is None else (*names, workload.inference.model)


def image_names(workload: Workload) -> tuple[str, ...]:
    """The names of `image_artifacts`."""
    if workload.inference is not None:
        return (workload.inference.engine.image,)
    image = getattr(workload.entity.spec, "image", None)
    return () if image is None else (image,)


def nearest_copy(fleet: Fleet, cluster: Cluster, artifact: Entity[ArtifactSpec]) -> Copy | None:
    """The best copy for a cluster: its own or cached, then one open to all, then the cheapest transfer; or None."""
    here = next((p for p in artifact.spec.locations if p.cluster == cluster.name), None)
    if here is not None:
        return Copy(True, here.uri, None, cluster.name)
    if cluster.cached.get(artifact.name) == artifact.spec.digest:
        return Copy(True, artifact.spec.locations[0].uri, None, cluster.name)
    anywhere = next((p for p in artifact.spec.locations if p.cluster is None), None)
    if anywhere is not None:
        return Copy(False, anywhere.uri, None, None)
    routes = []
    for location in artifact.spec.locations:
        source = fleet.clusters.get(location.cluster or "")
        if source is not None and source.spec.region in cluster.transfer:
            row = cluster.transfer[source.spec.region][0]
            routes.append(
                (row.per_gigabyte, -row.gigabits_per_second, source.name, Copy(False, location.uri, row, source.name))
            )
    return min(routes, key=lambda r: r[:3])[3] if routes else None


def data_class(case: ClusterCase) -> Iterator[Reason]:
    """The tenant may read the data, and the cluster may hold it."""
    tenant = case.fleet.tenants[case.workload.tenant]
    for name, origin in data_artifacts(case.workload):
        artifact = case.fleet.artifacts[name]
        found = artifact.spec.data_class
        if found not in tenant.spec.data_classes:
            yield reason(
                Predicate.DATA_CLASS,
                f"tenant `{tenant.name}` may not read data of class {found}, as `{name}` is",
                (f"`{name}`, class {found}", origin),
                (f"data classes {', '.join(tenant.spec.data_classes) or 'none'}", tenant.at("dataClasses")),
            )
        allowed = case.cluster.spec.data_classes
        if allowed is not None and found not in allowed:
            yield reason(
                Predicate.DATA_CLASS,
                f"data of class {found}, as `{name}` is, may not enter `{case.cluster.name}`",
                (f"`{name}`, class {found}", origin),
                (f"data classes {', '.join(allowed)}", case.cluster.entity.at("dataClasses")),
            )


def residency(case: ClusterCase) -> Iterator[Reason]:
    """Data stays in the jurisdictions it may not leave."""
    found = case.cluster.spec.jurisdiction
    for name, _ in data_artifacts(case.workload):
        artifact = case.fleet.artifacts[name]
        if artifact.spec.residency is not None and found not in artifact.spec.residency:
            stays = ", ".join(artifact.spec.residency)
            yield reason(
                Predicate.RESIDENCY,
                f"`{name}` may not leave {stays}; `{case.cluster.name}` is in {found}",
                (f"residency {stays}", artifact.at("residency")),
                (f"jurisdiction {found}", case.cluster.entity.at("jurisdiction")),
            )


def data(case: ClusterCase) -> Iterator[Reason]:
    """Data and models can be reached, in the version asked for."""
    yield from _reachable(case, Predicate.DATA, data_artifacts(case.workload))


def image(case: ClusterCase) -> Iterator[Reason]:
    """Images can be pulled."""
    yield from _reachable(case, Predicate.IMAGE, image_artifacts(case.workload))


def _reachable(case: ClusterCase, predicate: Predicate, artifacts: list[tuple[str, Origin]]) -> Iterator[Reason]:
    for name, origin in artifacts:
        artifact = case.fleet.artifacts[name]
        if nearest_copy(case.fleet, case.cluster, artifact) is not None:
            continue
        places = ", ".join(sorted(p.cluster for p in artifact.spec.locations if p.cluster))
        stale = case.cluster.cached.get(name)
        other = f"; the copy there is of another version ({stale[:19]})" if stale else ""
        yield reason(
            predicate,
            f"`{name}` lies in {places}, and `{case.cluster.name}` has neither a copy nor a transfer row from there{other}",
            (f"`{name}` reachable", origin),
            (f"copies in {places}", artifact.at("locations")),
        )


CLUSTER_PREDICATES = (data_class, residency, data, image)
"""Asked once a cluster, in this order."""
