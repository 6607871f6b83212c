"""Findings as workflow commands that GitHub shows beside the changed lines."""

from __future__ import annotations

from typing import Final

from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.model import Severity
from stowplan.diagnostics.placed import Place, Placed

__all__ = ["render"]

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(placed: tuple[Placed, ...], *, locator: Locator, color: bool, catalogue: Catalogue | None) -> str:
    """One command a line: the message, and its label, notes and helps as further lines of the annotation."""
    del locator, color
    return "".join(_command(one, catalogue) for one in placed)


def _command(one: Placed, catalogue: Catalogue | None) -> str:
    diagnostic = one.diagnostic
    rule = catalogue.describe(diagnostic.code) if catalogue else None
    title = f"{diagnostic.code} {rule.name}" if rule else diagnostic.code
    properties = {**_position(one.primary.place), "title": title}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    lines = [diagnostic.message, one.primary.text, *(f"note: {note}" for note in diagnostic.notes)]
    lines += [f"help: {text}" for text in diagnostic.helps]
    lines += [f"concerns {diagnostic.subject}"] if diagnostic.subject else []
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_data(chr(10).join(filter(None, lines)))}\n"


def _position(place: Place | None) -> dict[str, str]:
    """File and lines; columns only within one line, where GitHub accepts them."""
    if place is None:
        return {}
    if place.span is None:
        return {"file": place.path}
    span = place.span
    position = {"file": place.path, "line": str(span.line), "endLine": str(span.end_line)}
    if span.line == span.end_line:
        position |= {"col": str(span.column), "endColumn": str(span.end_column)}
    return position


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
