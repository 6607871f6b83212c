"""Which input lines and which template lines a rendered file came from, field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stowplan.model.manifest import Manifest
from stowplan.model.rendered import RenderedObject, RenderedTree
from stowplan.passes.provenance import template_file
from stowplan.source.span import Origin, Pointer, Span, format_pointer
from stowplan.templates.engine import TemplateSet

__all__ = ["explain_file", "explain_kustomization"]

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
        if len(holes) == 1 and trace.holes[holes[0]].is_exact:
            rows.extend(_parts(manifest, pointer, trace.holes[holes[0]].reads[0], locate))
    width = max((len(field) for field, _ in rows), default=0)
    lines += [f"  {field.ljust(width)}  {place}" for field, place in rows]
    lines += ["", f"  everything else is stated in {name}"]
    return "\n".join(lines) + "\n"


def _parts(manifest: Manifest, pointer: Pointer, read: Pointer, locate: Locate) -> Iterator[tuple[str, str]]:
    """Rows of the parts of a list or mapping that have origins of their own."""
    for path, origin in manifest.origins.items():
        span = locate(origin) if len(path) > len(read) and path[: len(read)] == read else None
        if span is not None:
            yield format_pointer((*pointer, *path[len(read) :])), f"{span.path}:{span.line}:{span.column}"


def explain_kustomization(path: str, rendered: RenderedTree, locate: Locate) -> str:
    """The objects that a kustomization lists, each with the input that asked for it."""
    folder = path.rpartition("/")[0]
    rows = []
    for made in rendered.objects:
        if made.path.rpartition("/")[0] == folder:
            source = locate(made.manifest.origins[()])
            where = f"{source.path}:{source.line}" if source else made.manifest.origins[()].path
            rows.append((made.path.rpartition("/")[2], f"{made.manifest.source} ({where})"))
    width = max((len(name) for name, _ in rows), default=0)
    lines = [f"{path}: what is synced together from this folder", ""]
    lines += [f"  {name.ljust(width)}  {asked}" for name, asked in rows]
    return "\n".join(lines) + "\n"
