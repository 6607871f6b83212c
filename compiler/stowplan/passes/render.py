"""The render pass: manifests to objects and canonical text, each with the file it goes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, Outcome, error
from stowplan.model.manifest import Manifest
from stowplan.model.rendered import RenderedObject
from stowplan.passes.provenance import asked_for, stated_at, template_file
from stowplan.source.names import why_no_component
from stowplan.templates.engine import Rendered, TemplateSet

__all__ = ["merged", "no_object", "object_path", "render"]


def render(manifests: Iterable[Manifest], templates: TemplateSet) -> Outcome[tuple[RenderedObject, ...]]:
    """Objects sorted by path. The same object twice in a unit, and names that cannot be a path, are errors."""
    by_path: dict[str, list[RenderedObject]] = {}
    found: list[Diagnostic] = []
    names = _Names()
    for manifest in manifests:
        outcome = templates.render(template_file(manifest.template), manifest.variables)
        found.extend(outcome.diagnostics)
        for index, rendered in enumerate(outcome.value):
            made = _place(manifest, rendered, index, names, templates, found)
            if made is not None:
                by_path.setdefault(made.path, []).append(made)
    objects: dict[str, RenderedObject] = {}
    for sharing in by_path.values():
        for made in sharing if len(sharing) == 1 else map(_told_apart, sharing):
            before = objects.setdefault(made.path, made)
            if before is not made:
                found.append(_collision(made, before, templates))
    return Outcome(tuple(objects[path] for path in sorted(objects)), _unique(found))


def _told_apart(made: RenderedObject) -> RenderedObject:
    """The object under a path that no other namespace and name share: `a-b` with `c` reads like `a` with `b-c`."""
    if made.namespace is None:
        return made
    head, _, _ = made.path.rpartition("/")
    name = object_path("", made.kind, f"{made.namespace}-", made.name)
    return replace(made, path=f"{head}{name}")


def merged(
    one: Outcome[tuple[RenderedObject, ...]], other: Outcome[tuple[RenderedObject, ...]]
) -> Outcome[tuple[RenderedObject, ...]]:
    """Two renderings of different objects as one, sorted by path."""
    objects = tuple(sorted((*one.value, *other.value), key=lambda made: made.path))
    return Outcome(objects, (*one.diagnostics, *other.diagnostics))


def object_path(folder: str, kind: str, namespace: str | None, name: str) -> str:
    """`<folder>/<kind>-<namespace>-<name>.yaml`, lower case; `:` of RBAC names becomes `_`."""
    parts = [kind.lower(), *([namespace] if namespace else []), name.replace(":", "_").replace("/", "_")]
    return f"{folder}/{'-'.join(parts)}.yaml"


@dataclass(frozen=True, slots=True)
class _Name:
    """What a rendered document is called: the same for every unit that it stands in."""

    api_version: str
    kind: str
    namespace: str | None
    name: str
    file: str
    problem: str | None


class _Names:
    """Names of documents, read once for each."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Rendered, _Name | None]] = {}

    def of(self, rendered: Rendered) -> _Name | None:
        """The name; None where the document is no Kubernetes object."""
        known = self._known.get(id(rendered))
        if known is None:
            # The document is kept beside its name, so that its id stays its own.
            known = self._known[id(rendered)] = (rendered, _read_name(rendered.object))
        return known[1]


def _read_name(made: Any) -> _Name | None:
    metadata = made.get("metadata") if isinstance(made, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    api_version, kind = (made.get("apiVersion"), made.get("kind")) if isinstance(made, dict) else (None, None)
    if not (isinstance(name, str) and name and isinstance(api_version, str) and isinstance(kind, str)):
        return None
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    file = object_path("", kind, namespace if isinstance(namespace, str) else None, name)
    return _Name(api_version, kind, namespace, name, file, why_no_component(file[1:]))


def no_object(manifest: Manifest, document: int, templates: TemplateSet) -> Diagnostic:
    """The finding on a template that yields something else than an object; `document` counts what it yields from 0."""
    at = stated_at(manifest, document, (), templates)
    return error(
        "SP0706",
        f"template `{manifest.template}` yields no Kubernetes object: it needs apiVersion, kind, and metadata.name",
        at,
        "" if at.is_text else "for this",
        secondary=asked_for(manifest, at),
    )


def _place(
    manifest: Manifest,
    rendered: Rendered,
    index: int,
    names: _Names,
    templates: TemplateSet,
    found: list[Diagnostic],
) -> RenderedObject | None:
    made = names.of(rendered)
    if made is None:
        found.append(no_object(manifest, index, templates))
        return None
    if made.problem is not None:
        message = f"`{made.kind}/{made.name}` cannot be written as a file: its name {made.problem}"
        at = stated_at(manifest, index, ("metadata", "name"), templates)
        found.append(error("SP0707", message, at, secondary=asked_for(manifest, at)))
        return None
    path = f"{manifest.unit.folder}{made.file}"
    return RenderedObject(manifest, rendered, path, made.api_version, made.kind, made.namespace, made.name, index)


def _collision(made: RenderedObject, before: RenderedObject, templates: TemplateSet) -> Diagnostic:
    at, other = (stated_at(one.manifest, one.document, ("metadata", "name"), templates) for one in (made, before))
    return error(
        "SP0708",
        f"two objects `{made.reference}` in unit `{made.unit.folder}`",
        at,
        f"from `{made.manifest.source}`",
        secondary=(Label(other, f"from `{before.manifest.source}`"),),
        helps=("rename one of the two",),
    )


def _unique(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys(found))
