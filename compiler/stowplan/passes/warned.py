"""What an API server would accept and warn of in the users' own manifests; what is rendered follows what is served."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from stowplan.diagnostics.model import Diagnostic, warning
from stowplan.model.rendered import RenderedObject
from stowplan.passes.provenance import asked_for, origin_of_field
from stowplan.passes.validate import SchemasFor
from stowplan.source.span import Pointer
from stowplan.templates.engine import TemplateSet

__all__ = ["server_warnings"]

_OWN = "component/"
_FIELD: Final = re.compile(r"(?:spec|metadata|template)(?:\.[A-Za-z]\w*|\[\d+\])*(?=: )")
_STEP: Final = re.compile(r"([A-Za-z]\w*)|\[(\d+)\]")


def server_warnings(
    objects: Iterable[RenderedObject], schemas_for: SchemasFor, templates: TemplateSet
) -> Iterator[Diagnostic]:
    """SP0813, once for an object of a component and all the clusters that it goes to. The objects are sound."""
    targets: dict[tuple[str, str, str], dict[str, None]] = {}
    places: dict[tuple[str, str, str], RenderedObject] = {}
    for made in objects:
        if not made.manifest.source.startswith(_OWN):
            continue
        kind = schemas_for(made.unit.target).kind(made.api_version, made.kind)
        for text in kind.judge(made.object).warnings if kind is not None else ():
            key = (made.manifest.source, made.reference, text)
            places.setdefault(key, made)
            targets.setdefault(key, {})[made.unit.target.name] = None
    for key, made in places.items():
        at = origin_of_field(made, _field(key[2]), templates)
        yield warning(
            "SP0813", f"the API server would warn of {made.reference}: {key[2]}", at,
            secondary=asked_for(made.manifest, at), subject=made.reference, targets=tuple(sorted(targets[key])),
        )  # fmt: skip


def _field(text: str) -> Pointer:
    """The field that a warning begins with; those that begin with none are about the version."""
    named = _FIELD.match(text)
    if named is None:
        return ("apiVersion",)
    return tuple(int(index) if index else name for name, index in _STEP.findall(named[0]))
