"""An explicit kustomization for every unit: both engines build the same set, in the same order."""

from __future__ import annotations

from collections.abc import Iterable

from stowplan.model.rendered import RenderedObject
from stowplan.source.yaml_writer import dumps

__all__ = ["NAME", "kustomizations"]

NAME = "kustomization.yaml"


def kustomizations(objects: Iterable[RenderedObject]) -> dict[str, str]:
    """Text of each unit's kustomization by path below `rendered/`; resources sorted by file name."""
    files: dict[str, list[str]] = {}
    for made in objects:
        folder, _, name = made.path.rpartition("/")
        files.setdefault(folder, []).append(name)
    texts: dict[tuple[str, ...], str] = {}
    written: dict[str, str] = {}
    for folder, names in sorted(files.items()):
        resources = tuple(sorted(names))
        if resources not in texts:
            texts[resources] = _text(resources)
        written[f"{folder}/{NAME}"] = texts[resources]
    return written


def _text(resources: tuple[str, ...]) -> str:
    return dumps(
        {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": list(resources)}
    )
