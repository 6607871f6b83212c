"""Where a cluster gets images, models, and data from: its own copy, or, for images, its registry mirror."""

from __future__ import annotations

from collections.abc import Sequence

from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.tenant import ArtifactSpec
from stowplan.source.span import Origin

__all__ = ["Place", "copy_of", "image_reference", "mirrored", "shared_image"]

Place = tuple[str, Origin]
"""A URI and where it is stated."""


def copy_of(fleet: Fleet, artifact: Entity[ArtifactSpec], cluster: Cluster) -> Place:
    """The cluster's own copy, else one open to every cluster, else the cheapest to bring over, else the first."""
    locations = artifact.spec.locations

    def rank(index: int) -> tuple[int, float, int]:
        owner = locations[index].cluster
        if owner == cluster.name:
            return 0, 0.0, index
        if owner is None:
            return 1, 0.0, index
        row = cluster.transfer.get(fleet.clusters[owner].spec.region)
        return (2, row[0].per_gigabyte, index) if row is not None else (3, 0.0, index)

    best = min(range(len(locations)), key=rank)
    return locations[best].uri, artifact.at("locations", best, "uri")


def image_reference(fleet: Fleet, artifact: Entity[ArtifactSpec], cluster: Cluster) -> Place:
    """An image by digest; what lies in no cluster is taken through the cluster's registry mirror."""
    uri, origin = copy_of(fleet, artifact, cluster)
    path = _path(uri)
    if all(location.cluster is None or location.uri != uri for location in artifact.spec.locations):
        path = mirrored(path, cluster)
    return f"{path}@{artifact.spec.digest}", origin


def shared_image(fleet: Fleet, artifact: Entity[ArtifactSpec], clusters: Sequence[Cluster]) -> str:
    """One reference for all of some clusters, the first preferred: where they have no place in common, the image's own.

    A manifest that MultiKueue may take to any of several clusters cannot name the mirror of one of them.
    """
    found = [image_reference(fleet, artifact, cluster)[0] for cluster in clusters]
    open_to_all = next((place.uri for place in artifact.spec.locations if place.cluster is None), None)
    if len(set(found)) == 1 or open_to_all is None:
        return found[0]
    return f"{_path(open_to_all)}@{artifact.spec.digest}"


def _path(uri: str) -> str:
    return uri.partition("://")[2] or uri


def mirrored(path: str, cluster: Cluster) -> str:
    """An image path with its registry's host replaced by the cluster's mirror, where it has one."""
    mirror = cluster.spec.storage.registry
    host, slash, rest = path.partition("/")
    has_host = bool(slash) and ("." in host or ":" in host or host == "localhost")
    return path if mirror is None else f"{mirror}/{rest if has_host else path}"
