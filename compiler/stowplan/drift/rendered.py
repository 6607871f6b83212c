"""Reads the rendered tree as the desired state: which objects go to which cluster, by which engine and unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from stowplan.drift.model import DesiredObject
from stowplan.drift.readers import read_rendered_file

__all__ = ["read_rendered_tree"]

_KUSTOMIZATION: Final = "kustomization.yaml"


def read_rendered_tree(
    rendered: Path, engines: Mapping[str, str], clusters: frozenset[str] | None = None
) -> dict[str, list[DesiredObject]]:
    """The objects of `clusters/*` and `hubs/*`, by target; `engines` names who applies to each target.

    Files are read in order of their names; a hub's target is the name of its folder.

    Raises:
        OSError: the tree cannot be read.
        ValueError: a file of it is no rendered object; the text begins with the file's path.
    """
    desired: dict[str, list[DesiredObject]] = {}
    parsed: dict[bytes, list[Mapping[str, Any]]] = {}
    for area in ("clusters", "hubs"):
        folder = rendered / area
        if not folder.is_dir():
            continue
        for target in sorted(path for path in folder.iterdir() if path.is_dir()):
            if clusters is None or target.name in clusters:
                engine = engines.get(target.name, engines.get("*", "argocd"))
                desired.setdefault(target.name, []).extend(_read_target(rendered, target, engine, parsed))
    return desired


def _read_target(
    rendered: Path, target: Path, engine: str, parsed: dict[bytes, list[Mapping[str, Any]]]
) -> Iterator[DesiredObject]:
    for path in sorted(target.rglob("*.yaml")):
        if path.name == _KUSTOMIZATION:
            continue
        name = path.relative_to(rendered).as_posix()
        unit = path.parent.relative_to(target).as_posix()
        text = path.read_bytes()
        objects = parsed.get(text)
        if objects is None:
            try:
                objects = parsed[text] = read_rendered_file(path)
            except ValueError as problem:
                raise ValueError(f"{name}: {problem}") from None
        for data in objects:
            yield DesiredObject(data, engine, unit, name)
