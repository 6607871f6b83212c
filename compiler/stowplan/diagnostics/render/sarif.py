"""Findings as SARIF 2.1.0, for code scanning and for editors."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

from stowplan.diagnostics.fingerprint import fingerprints
from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.model import Applicability, Severity
from stowplan.diagnostics.placed import Place, Placed, PlacedSuggestion
from stowplan.source.span import Span
from stowplan.version import __version__

__all__ = ["render"]

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render(placed: tuple[Placed, ...], *, locator: Locator, color: bool, catalogue: Catalogue | None) -> str:
    """A log with one run: a rule for each code that occurs, a result for each finding."""
    del color
    codes = sorted({one.diagnostic.code for one in placed})
    index = {code: number for number, code in enumerate(codes)}
    names = fingerprints(placed, locator)
    run = {
        "tool": {
            "driver": {
                "name": "stowplan",
                "version": __version__,
                "rules": [_rule(code, catalogue) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, index, name) for one, name in zip(placed, names, strict=True)],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _rule(code: str, catalogue: Catalogue | None) -> dict[str, Any]:
    rule = catalogue.describe(code) if catalogue else None
    if rule is None:
        return {"id": code}
    described = {"id": code, "name": rule.name, "shortDescription": {"text": rule.summary}}
    return described | ({"helpUri": rule.help_uri} if "://" in rule.help_uri else {})


def _result(one: Placed, index: dict[str, int], fingerprint: str) -> dict[str, Any]:
    diagnostic = one.diagnostic
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index[diagnostic.code],
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": _message(one)},
        "partialFingerprints": {"stowplan/v1": fingerprint},
    }
    if location := _location(one.primary.place, diagnostic.subject):
        result["locations"] = [location]
    related = [
        {"id": number, **_location(label.place, None), "message": {"text": label.text or "related place"}}
        for number, label in enumerate(one.secondary)
        if label.place is not None
    ]
    fixes = [_fix(s) for s in one.suggestions if s.suggestion.applicability is not Applicability.DISPLAY_ONLY]
    return result | ({"relatedLocations": related} if related else {}) | ({"fixes": fixes} if fixes else {})


def _message(one: Placed) -> str:
    diagnostic = one.diagnostic
    lines = [diagnostic.message, one.primary.text]
    lines += [label.text for label in one.secondary if label.place is None]
    lines += [f"note: {note}" for note in diagnostic.notes] + [f"help: {text}" for text in diagnostic.helps]
    return "\n".join(filter(None, lines))


def _location(place: Place | None, subject: str | None) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if place is not None:
        location["physicalLocation"] = {"artifactLocation": {"uri": quote(place.path)}}
        if place.span is not None:
            location["physicalLocation"]["region"] = _region(place.span)
    if subject:
        location["logicalLocations"] = [{"fullyQualifiedName": subject, "kind": "resource"}]
    return location


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _fix(placed: PlacedSuggestion) -> dict[str, Any]:
    replacement = {
        "deletedRegion": _region(placed.span),
        "insertedContent": {"text": placed.suggestion.replacement},
    }
    change = {"artifactLocation": {"uri": quote(placed.span.path)}, "replacements": [replacement]}
    return {
        "description": {"text": f"replace with {placed.suggestion.replacement}"},
        "artifactChanges": [change],
    }
