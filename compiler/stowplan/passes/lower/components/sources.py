"""A component's files: plain manifests, document by document, and templates by path."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from stowplan.diagnostics.model import Diagnostic, error
from stowplan.model.entity import Entity
from stowplan.model.inputs.policies import ComponentSpec
from stowplan.source.document import SourceFile, TemplateFile
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin

__all__ = ["SourceIndex", "Sources", "component_problems", "find_sources"]

_READ = ("fleet", "policies", "templates")
"""Folders of a workspace that are read."""
_BUILD_GROUPS = ("kustomize.config.k8s.io/",)


@dataclass(frozen=True, slots=True)
class Sources:
    """`objects` are plain manifests with their places; `templates` are texts by path."""

    objects: tuple[tuple[Origin, dict[str, Any]], ...] = ()
    templates: tuple[tuple[str, str], ...] = ()


class SourceIndex:
    """The files of a workspace, looked up by folder."""

    def __init__(self, tree: SourceTree) -> None:
        self._files = tree.files
        self._templates = tree.templates
        self._file_paths = [file.path for file in tree.files]
        self._template_paths = [template.path for template in tree.templates]

    def files(self, path: str) -> tuple[SourceFile, ...]:
        """The YAML file of that path, or those below it."""
        return self._files[_stretch(self._file_paths, path)]

    def templates(self, path: str) -> tuple[TemplateFile, ...]:
        """The template of that path, or those below it."""
        return self._templates[_stretch(self._template_paths, path)]


def _stretch(paths: list[str], path: str) -> slice:
    """Where the path itself, or what lies below it, stands among sorted paths."""
    at = bisect_left(paths, path)
    if at < len(paths) and paths[at] == path:
        return slice(at, at + 1)
    return slice(bisect_left(paths, f"{path}/"), bisect_left(paths, f"{path}0"))  # `0` comes after `/`


def component_problems(components: Iterable[Entity[ComponentSpec]], tree: SourceTree) -> tuple[Diagnostic, ...]:
    """What is wrong with the components' paths and manifests; told early, since misplaced manifests look like input."""
    index = SourceIndex(tree)
    return tuple(found for component in components for found in find_sources(component, index)[1])


def find_sources(component: Entity[ComponentSpec], index: SourceIndex) -> tuple[Sources, list[Diagnostic]]:
    """The files that `manifests` names, in the order of their paths, and what is wrong with the name or with them."""
    path = component.spec.manifests.rstrip("/")
    problem = _check_path(component, path)
    if problem is not None:
        return Sources(), [problem]
    files = index.files(path)
    templates = [(template.path, template.text) for template in index.templates(path)]
    if not files and not templates:
        return Sources(), [_missing(component, path)]
    found: list[Diagnostic] = []
    objects: list[tuple[Origin, dict[str, Any]]] = []
    for file in files:
        for document in file.documents:
            for origin, value in _items(Origin(document.path, document.index), document.data):
                wrong = _check_object(origin, value)
                if wrong is not None:
                    found.append(wrong)
                elif isinstance(value, dict):
                    objects.append((origin, value))
    return Sources(tuple(objects), tuple(templates)), found


def _check_path(component: Entity[ComponentSpec], path: str) -> Diagnostic | None:
    at = component.at("manifests")
    normal = posixpath.normpath(path) if path else "."
    if path.startswith("/") or normal.split("/")[0] == "..":
        return error(
            "SP0741",
            f"`{component.spec.manifests}` leads out of the workspace",
            at,
            "not below the workspace's root",
            helps=("name a folder or file of the workspace, such as `fleet/components/NAME`",),
        )
    if normal != path or "\\" in path or normal in _READ or normal == ".":
        helps = (f"write `{normal}`",) if normal not in (*_READ, ".", path) else ("such as `fleet/components/NAME`",)
        return error("SP0741", f"`{component.spec.manifests}` is no folder of manifests alone", at, "", helps=helps)
    return None


def _missing(component: Entity[ComponentSpec], path: str) -> Diagnostic:
    helps = ["put YAML files or templates (`.j2`) there"]
    if path.split("/")[0] not in _READ:
        helps = ["only files below " + ", ".join(f"`{folder}/`" for folder in _READ) + " are read"]
    return error(
        "SP0740",
        f"component `{component.name}` has no manifests: `{path}` does not exist, or holds none",
        component.at("manifests"),
        "nothing here",
        helps=helps,
    )


def _items(origin: Origin, data: Any) -> Iterator[tuple[Origin, Any]]:
    """The objects of a document: itself, or the items of a list as kubectl prints it."""
    if isinstance(data, dict) and data.get("kind") == "List" and isinstance(data.get("items"), list):
        for index, item in enumerate(data["items"]):
            yield from _items(origin / "items" / index, item)
    else:
        yield origin, data


def _check_object(origin: Origin, value: Any) -> Diagnostic | None:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    api_version = value.get("apiVersion") if isinstance(value, dict) else None
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(api_version, str) and api_version.startswith(_BUILD_GROUPS):
        return error(
            "SP0745",
            f"a component's `{kind}` is not built: its folder holds finished manifests and templates",
            origin / "kind",
            "instructions for a build",
            helps=("build it and keep the result, or turn it into templates (`.j2`)",),
        )
    if not (isinstance(api_version, str) and isinstance(kind, str) and isinstance(name, str) and name):
        return error("SP0745", "a manifest needs `apiVersion`, `kind`, and `metadata.name`", origin, "not an object")
    return None
