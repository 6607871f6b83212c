"""How the model's files reach the server: an image volume, a claim, or a name that the server loads itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, error
from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.tenant import ArtifactSpec
from stowplan.passes.lower.images import copy_of
from stowplan.passes.lower.inference.engines import EngineKind
from stowplan.source.span import Origin

__all__ = ["ModelSource", "model_source"]

_IMAGE_VOLUMES_FROM = 35
"""Kubernetes minor from which image volumes are on by default."""
_FOLDER = "/models"


@dataclass(frozen=True, slots=True)
class ModelSource:
    """What the server gets as its model, with the volume it lies on (None: the server loads it over the network).

    `image` is the model's image where the volume is one: it can be brought to nodes ahead of time.
    """

    argument: str
    extra: tuple[str, ...]
    volume: dict[str, Any] | None
    mount: dict[str, Any] | None
    image: str | None
    origin: Origin


def model_source(
    fleet: Fleet, artifact: Entity[ArtifactSpec], cluster: Cluster, engine: EngineKind, asked_by: Origin
) -> ModelSource | Diagnostic:
    """The way for a cluster's own copy."""
    uri, origin = copy_of(fleet, artifact, cluster)
    scheme, found, rest = uri.partition("://")
    if not found or scheme in ("oci", "docker"):
        return _image(artifact, cluster, rest if found else uri, origin, asked_by)
    if scheme == "pvc":
        claim, _, path = rest.partition("/")
        mount = f"{_FOLDER}/{artifact.name}"
        volume = {"name": "model", "persistentVolumeClaim": {"claimName": claim, "readOnly": True}}
        return ModelSource(f"{mount}/{path}".rstrip("/"), (), volume, _mount(mount), None, origin)
    if scheme == "hf" and engine.takes_hub_names:
        return ModelSource(rest, (), None, None, None, origin)
    if scheme in ("s3", "gs") and engine.streams_objects is not None:
        return ModelSource(uri, engine.streams_objects, None, None, None, origin)
    return error(
        "SP0723",
        f"model `{artifact.name}` lies at `{uri}`, which this kind of server cannot load",
        origin,
        "this copy",
        secondary=(Label(asked_by, f"served in cluster `{cluster.name}` by this engine"),),
        helps=("put the model into a registry (`oci://`) or on a volume (`pvc://CLAIM/PATH`)",),
        targets=(cluster.name,),
    )


def _image(
    artifact: Entity[ArtifactSpec], cluster: Cluster, path: str, origin: Origin, asked_by: Origin
) -> ModelSource | Diagnostic:
    if cluster.minor < _IMAGE_VOLUMES_FROM:
        return error(
            "SP0722",
            f"cluster `{cluster.name}` (Kubernetes 1.{cluster.minor}) cannot mount model `{artifact.name}` from a registry",
            origin,
            f"an image volume, which needs Kubernetes 1.{_IMAGE_VOLUMES_FROM}",
            secondary=(
                Label(cluster.entity.at("kubernetes"), f"1.{cluster.minor}"),
                Label(asked_by, "asked for here"),
            ),
            helps=("add a copy on a volume (`pvc://CLAIM/PATH`) for this cluster, or upgrade it",),
            targets=(cluster.name,),
        )
    reference = f"{path}@{artifact.spec.digest}"
    mount = f"{_FOLDER}/{artifact.name}"
    volume = {"name": "model", "image": {"reference": reference, "pullPolicy": "IfNotPresent"}}
    return ModelSource(mount, (), volume, _mount(mount), reference, origin)


def _mount(path: str) -> dict[str, Any]:
    return {"name": "model", "mountPath": path, "readOnly": True}
