"""Findings as one JSON document with a schema version: the format for programs."""

from __future__ import annotations

import json
from typing import Any, Final

from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.placed import Place, Placed, PlacedLabel
from stowplan.source.span import Span, format_pointer

__all__ = ["SCHEMA_VERSION", "as_record", "render"]

SCHEMA_VERSION: Final = 1


def render(placed: tuple[Placed, ...], *, locator: Locator, color: bool, catalogue: Catalogue | None) -> str:
    """An object with `schema_version` and `diagnostics`, never shortened."""
    del locator, color
    document = {"schema_version": SCHEMA_VERSION, "diagnostics": [as_record(one, catalogue) for one in placed]}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def as_record(one: Placed, catalogue: Catalogue | None) -> dict[str, Any]:
    """A finding as plain data. Lines and columns count from 1, columns in code points, ends are exclusive."""
    diagnostic = one.diagnostic
    rule = catalogue.describe(diagnostic.code) if catalogue else None
    return {
        "code": diagnostic.code,
        "name": rule.name if rule else None,
        "severity": diagnostic.severity.word,
        "message": diagnostic.message,
        "primary": _label(one.primary),
        "secondary": [_label(label) for label in one.secondary],
        "notes": list(diagnostic.notes),
        "helps": list(diagnostic.helps),
        "suggestions": [
            {
                "path": s.span.path,
                "span": _span(s.span),
                "replacement": s.suggestion.replacement,
                "applicability": s.suggestion.applicability.value,
            }
            for s in one.suggestions
        ],
        "subject": diagnostic.subject,
        "targets": list(diagnostic.targets),
    }


def _label(label: PlacedLabel) -> dict[str, Any]:
    place = label.place
    return {
        "path": place.path if place else None,
        "span": _span(place.span) if place and place.span else None,
        **_pointer(place),
        "text": label.text,
    }


def _pointer(place: Place | None) -> dict[str, Any]:
    if place is None or place.origin is None:
        return {"document": None, "pointer": None}
    return {"document": place.origin.document, "pointer": format_pointer(place.origin.pointer)}


def _span(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
