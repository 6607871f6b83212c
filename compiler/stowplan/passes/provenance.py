"""From a field of a rendered object to the input that it came from, worked out when asked."""

from __future__ import annotations

from stowplan.model.rendered import RenderedObject
from stowplan.source.span import Origin, Pointer
from stowplan.templates.engine import TemplateSet

__all__ = ["origin_of_field", "template_file"]


def template_file(name: str) -> str:
    """The name that the template set knows a manifest's template by."""
    return name if name.endswith((".j2", ".yaml", ".yml")) else f"{name}.yaml.j2"


def origin_of_field(made: RenderedObject, pointer: Pointer, templates: TemplateSet) -> Origin:
    """The input of the field, or of the nearest field above it that has one; else what the manifest came from."""
    manifest = made.manifest
    trace = templates.trace(template_file(manifest.template), manifest.variables).value
    if trace is None or not trace.documents:
        return manifest.origins[()]
    document = trace.documents[min(made.document, len(trace.documents) - 1)]
    for length in range(len(pointer), -1, -1):
        holes = document.holes.get(pointer[:length])
        if not holes:
            continue
        rest = pointer[length:]
        for hole in holes:
            found = trace.holes[hole]
            for read in found.reads:
                return manifest.origin_of((*read, *rest) if found.is_exact else read)
    return manifest.origins[()]
