"""Which input a field of a member's copy came from: the template is traced once a shape, then looked up."""

from __future__ import annotations

from stowplan.model.manifest import Manifest
from stowplan.passes.provenance import origin_in_trace, template_trace
from stowplan.source.span import Origin, Pointer
from stowplan.templates.engine import Rendered, TemplateSet
from stowplan.templates.trace import Trace

__all__ = ["FieldOrigins"]


class FieldOrigins:
    """Origins of fields; tracing is slow, and the same for all that a template renders in one shape."""

    def __init__(self, templates: TemplateSet) -> None:
        self._templates = templates
        self._traces: dict[int, tuple[Rendered, Trace | None]] = {}

    def of(self, manifest: Manifest, rendered: Rendered, document: int, pointer: Pointer) -> Origin:
        """The input of the field, or of the nearest field above it that has one; else what the manifest came from."""
        return origin_in_trace(manifest, self._trace(manifest, rendered), document, pointer, self._templates)

    def _trace(self, manifest: Manifest, rendered: Rendered) -> Trace | None:
        key = id(rendered.shape)
        if key not in self._traces:
            traced = template_trace(manifest, self._templates)
            self._traces[key] = (rendered, traced)  # the rendering is kept so that no other shape gets its place
        return self._traces[key][1]
