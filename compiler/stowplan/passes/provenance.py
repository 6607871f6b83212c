"""From a field of a rendered object to the input that it came from, worked out when asked."""

from __future__ import annotations

from stowplan.diagnostics.model import Label
from stowplan.model.manifest import Manifest
from stowplan.model.rendered import RenderedObject
from stowplan.source.span import Origin, Pointer
from stowplan.templates.engine import TemplateSet
from stowplan.templates.trace import DocumentTrace, Trace

__all__ = ["asked_for", "origin_in_trace", "origin_of_field", "stated_at", "template_file", "template_trace"]


def template_file(name: str) -> str:
    """The name that the template set knows a manifest's template by."""
    return name if name.endswith((".j2", ".yaml", ".yml")) else f"{name}.yaml.j2"


def template_trace(manifest: Manifest, templates: TemplateSet) -> Trace | None:
    """Where everything that the manifest renders came from; None where it does not render."""
    return templates.trace(template_file(manifest.template), manifest.variables).value


def origin_of_field(made: RenderedObject, pointer: Pointer, templates: TemplateSet) -> Origin:
    """The input of the field, or of the nearest field above it that has one; else what the manifest came from.

    An input is what the value was read from, or the line of the workspace's own template that states it.
    """
    trace = template_trace(made.manifest, templates)
    return origin_in_trace(made.manifest, trace, made.document, pointer, templates)


def origin_in_trace(
    manifest: Manifest, trace: Trace | None, document: int, pointer: Pointer, templates: TemplateSet
) -> Origin:
    """The same, where the template was traced before: with these values, or with others in the same shape."""
    if trace is not None and trace.documents:
        traced = trace.documents[min(document, len(trace.documents) - 1)]
        for length in range(len(pointer), -1, -1):
            found = _read(manifest, trace, traced, pointer, length) or _stated(
                trace, traced, pointer[:length], templates
            )
            if found is not None:
                return found
    return manifest.origins[()]


def _read(manifest: Manifest, trace: Trace, document: DocumentTrace, pointer: Pointer, length: int) -> Origin | None:
    """The input that the field at `pointer[:length]` was read from."""
    for index in document.holes.get(pointer[:length], ()):
        hole = trace.holes[index]
        for read in hole.reads:
            return manifest.origin_of((*read, *pointer[length:]) if hole.is_exact else read)
    return None


def _stated(trace: Trace, document: DocumentTrace, pointer: Pointer, templates: TemplateSet) -> Origin | None:
    """The line of the workspace's template that states the field."""
    for index in document.holes.get(pointer, ()):
        return templates.origin(trace.holes[index].at)
    line = document.lines.get(pointer)
    return templates.origin(line) if line is not None else None


def stated_at(manifest: Manifest, document: int, pointer: Pointer, templates: TemplateSet) -> Origin:
    """The line of the workspace's own template that states the field; else what the manifest came from."""
    found = origin_in_trace(manifest, template_trace(manifest, templates), document, pointer, templates)
    return found if found.is_text else manifest.origins[()]


def asked_for(manifest: Manifest, origin: Origin) -> tuple[Label, ...]:
    """What a template was rendered for, beside a place in the template."""
    return (Label(manifest.origins[()], "rendered for this"),) if origin.is_text else ()
