"""Verdicts as records for machines and as findings for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from stowplan.diagnostics.model import Diagnostic, Label, Severity
from stowplan.source.span import Origin, Span
from stowplan.validation.judging import UNKNOWN_KIND, PlacedError, Result
from stowplan.validation.reading import SourceText

__all__ = ["SCHEMA_VERSION", "TextExcerpts", "findings", "record"]

SCHEMA_VERSION: Final = 1
_CODES: Final = {"UnknownField": "SP0821", "DecodeError": "SP0822", "BadRequest": "SP0822", "NotFound": "SP0823"}


def record(result: Result, *, with_object: bool) -> dict[str, Any]:
    """The JSON record of a verdict; `object` is there when asked for, null where nothing would be stored."""
    out: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "file": result.item.source.path,
        "document": result.item.document,
        "apiVersion": result.api_version,
        "kind": result.kind,
        "namespace": result.namespace,
        "name": result.name,
        "verdict": result.verdict,
        "code": result.code,
        "errors": [_error(error) for error in result.errors],
        "warnings": list(result.warnings),
    }
    if result.item.pointer:
        out["item"] = result.item.pointer[-1]
    if with_object:
        out["object"] = result.stored
    return out


def _error(error: PlacedError) -> dict[str, Any]:
    cause, place = error.cause, error.place
    return {
        "field": cause.field,
        "reason": cause.reason,
        "message": cause.message,
        "line": place.line if place else None,
        "column": place.column if place else None,
    }


def findings(result: Result) -> Iterable[Diagnostic]:
    """One finding a cause, and one a warning of the server."""
    subject = "/".join(part for part in (result.kind, result.namespace, result.name) if part) or "document"
    for error in result.errors:
        code = "SP0823" if result.verdict == UNKNOWN_KIND else _CODES.get(error.cause.reason, "SP0824")
        yield Diagnostic(code, Severity.ERROR, _sentence(error), Label(error.place, ""), subject=subject)
    for text in result.warnings:
        at = result.item.source.locate(result.item.pointer)
        yield Diagnostic("SP0825", Severity.WARNING, text, Label(at, ""), subject=subject)


def _sentence(error: PlacedError) -> str:
    cause = error.cause
    if cause.reason in _CODES or not cause.field or cause.field == "<nil>" or cause.field in cause.message:
        return cause.message
    return f"`{cause.field}`: {cause.message}"


class TextExcerpts:
    """Source lines of the documents at hand, for output formats that show them (a `Locator`)."""

    def __init__(self) -> None:
        self._texts: dict[str, list[SourceText]] = {}

    def hold(self, source: SourceText) -> None:
        """Keep only this document's text of its file."""
        self._texts = {source.path: [source]}

    def locate(self, origin: Origin) -> Span | None:
        """Findings carry their places already."""
        del origin
        return None

    def excerpt(self, path: str, line: int) -> str | None:
        """The line of the document held, None outside of it."""
        for source in self._texts.get(path, ()):
            lines = source.text.split("\n")
            if 0 <= line - source.line < len(lines):
                return lines[line - source.line].rstrip("\r")
        return None
