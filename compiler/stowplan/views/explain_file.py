"""Which input lines and which template lines a rendered file came from, field by field."""

from __future__ import annotations

from collections.abc import Callable

from stowplan.model.rendered import RenderedObject
from stowplan.passes.provenance import template_file
from stowplan.source.span import Origin, Span, format_pointer
from stowplan.templates.engine import TemplateSet

__all__ = ["explain_file"]

Locate = Callable[[Origin], Span | None]


def explain_file(made: RenderedObject, templates: TemplateSet, locate: Locate) -> str:
    """One line a field that came from an input, then the template of everything else."""
    manifest = made.manifest
    name = template_file(manifest.template)
    trace = templates.trace(name, manifest.variables).value
    source = locate(manifest.origins[()])
    where = f"{source.path}:{source.line}" if source else manifest.origins[()].path
    lines = [f"{made.path}: {made.reference}", f"  asked for by {manifest.source} ({where}), template {name}", ""]
    if trace is None:
        return "\n".join(lines)
    document = trace.documents[min(made.document, len(trace.documents) - 1)]
    rows: list[tuple[str, str]] = []
    for pointer, holes in document.holes.items():
        places: dict[str, None] = {}
        for hole in holes:
            found = trace.holes[hole]
            for read in found.reads:
                span = locate(manifest.origin_of(read))
                if span is not None:
                    places[f"{span.path}:{span.line}:{span.column}"] = None
            if not found.reads:
                places[f"{found.at.name}:{found.at.line}"] = None
        rows.append((format_pointer(pointer), ", ".join(places) or "the compiler"))
    width = max((len(field) for field, _ in rows), default=0)
    lines += [f"  {field.ljust(width)}  {place}" for field, place in rows]
    lines += ["", f"  everything else is stated in {name}"]
    return "\n".join(lines) + "\n"
