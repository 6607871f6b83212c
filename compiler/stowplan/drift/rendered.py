"""Reads the rendered tree as the desired state: which objects go to which cluster, by which engine and unit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from stowplan.drift.model import DesiredObject
from stowplan.drift.readers import read_rendered_text

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
    prefix = len(str(rendered)) + 1
    for folder, folders, files in os.walk(target):
        folders.sort()
        unit = Path(folder).relative_to(target).as_posix()
        for file in sorted(files):
            if file.endswith(".yaml") and file != _KUSTOMIZATION:
                place = os.path.join(folder, file)  # noqa: PTH118 - a Path for each of many files costs more than reading
                name = place[prefix:].replace(os.sep, "/")
                for data in _read_file(place, name, parsed):
                    yield DesiredObject(data, engine, unit, name)


def _read_file(place: str, name: str, parsed: dict[bytes, list[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """The objects of a file; equal bytes are parsed once."""
    with open(place, "rb") as stream:  # noqa: PTH123
        text = stream.read()
    objects = parsed.get(text)
    if objects is None:
        try:
            objects = parsed[text] = read_rendered_text(text)
        except ValueError as problem:
            raise ValueError(f"{name}: {problem}") from None
    return objects
