"""The render pass: manifests to objects and canonical text, each with the file it goes to."""

from __future__ import annotations

from collections.abc import Iterable

from stowplan.diagnostics.model import Diagnostic, Label, Outcome, error
from stowplan.model.manifest import Manifest
from stowplan.model.rendered import RenderedObject
from stowplan.passes.provenance import template_file
from stowplan.source.names import why_no_component
from stowplan.templates.engine import Rendered, TemplateSet

__all__ = ["merged", "object_path", "render"]


def render(manifests: Iterable[Manifest], templates: TemplateSet) -> Outcome[tuple[RenderedObject, ...]]:
    """Objects sorted by path. Two objects of one path, and names that cannot be a path, are errors."""
    objects: dict[str, RenderedObject] = {}
    found: list[Diagnostic] = []
    for manifest in manifests:
        outcome = templates.render(template_file(manifest.template), manifest.variables)
        found.extend(outcome.diagnostics)
        for index, rendered in enumerate(outcome.value):
            made = _place(manifest, rendered, index, found)
            if made is None:
                continue
            before = objects.setdefault(made.path, made)
            if before is not made:
                found.append(_collision(made, before))
    return Outcome(tuple(objects[path] for path in sorted(objects)), _unique(found))


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


def _place(manifest: Manifest, rendered: Rendered, index: int, found: list[Diagnostic]) -> RenderedObject | None:
    made = rendered.object
    metadata = made.get("metadata") if isinstance(made, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    api_version, kind = (made.get("apiVersion"), made.get("kind")) if isinstance(made, dict) else (None, None)
    if not (isinstance(name, str) and name and isinstance(api_version, str) and isinstance(kind, str)):
        found.append(
            error(
                "SP0706",
                f"template `{manifest.template}` yields no Kubernetes object: it needs apiVersion, kind, and metadata.name",
                manifest.origins[()],
                "for this",
            )
        )
        return None
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    path = object_path(manifest.unit.folder, kind, namespace if isinstance(namespace, str) else None, name)
    problem = why_no_component(path.rsplit("/", 1)[1])
    if problem is not None:
        found.append(
            error("SP0707", f"`{kind}/{name}` cannot be written as a file: its name {problem}", manifest.origins[()])
        )
        return None
    return RenderedObject(manifest, rendered, path, api_version, kind, namespace, name, index)


def _collision(made: RenderedObject, before: RenderedObject) -> Diagnostic:
    return error(
        "SP0708",
        f"two objects `{made.reference}` in unit `{made.unit.folder}`",
        made.manifest.origins[()],
        f"from `{made.manifest.source}`",
        secondary=(Label(before.manifest.origins[()], f"from `{before.manifest.source}`"),),
        helps=("rename one of the two",),
    )


def _unique(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys(found))
