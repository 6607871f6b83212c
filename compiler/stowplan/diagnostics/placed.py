"""Findings with their places looked up, in the one order that every output format uses, without repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stowplan.diagnostics.model import Diagnostic, Label, Suggestion
from stowplan.source.span import Origin, Span

__all__ = ["Place", "Placed", "PlacedLabel", "PlacedSuggestion", "place_all"]

Locate = Callable[[Origin], Span | None]


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and where in it; `span` is None where the file is known but not the place."""

    path: str
    span: Span | None
    origin: Origin | None = None

    @property
    def text(self) -> str:
        """`path:line:column`, or the path alone."""
        return f"{self.path}:{self.span.line}:{self.span.column}" if self.span else self.path


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A label and its place; None where no file is concerned."""

    place: Place | None
    text: str


@dataclass(frozen=True, slots=True)
class PlacedSuggestion:
    """A suggested edit with the exact stretch it replaces."""

    span: Span
    suggestion: Suggestion


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding with all places looked up."""

    diagnostic: Diagnostic
    primary: PlacedLabel
    secondary: tuple[PlacedLabel, ...]
    suggestions: tuple[PlacedSuggestion, ...]

    @property
    def where(self) -> str:
        """The place for people: `path:line:column`, a path, or the subject; empty where none of them is known."""
        return self.primary.place.text if self.primary.place else self.diagnostic.subject or ""

    @property
    def sort_key(self) -> tuple[bool, str, int, int, str, str, str]:
        """Path, line, column, code, message; what has no file comes last."""
        place, diagnostic = self.primary.place, self.diagnostic
        span = place.span if place else None
        return (
            place is None, place.path if place else "", span.line if span else 0, span.column if span else 0,
            diagnostic.code, diagnostic.message, diagnostic.subject or "",
        )  # fmt: skip


def place_all(diagnostics: Iterable[Diagnostic], locate: Locate) -> tuple[Placed, ...]:
    """The findings in order (path, line, column, code, message), each told once."""
    placed = sorted((_place(diagnostic, locate) for diagnostic in diagnostics), key=lambda one: one.sort_key)
    return tuple({(one.sort_key, one.diagnostic.severity): one for one in reversed(placed)}.values())[::-1]


def _place(diagnostic: Diagnostic, locate: Locate) -> Placed:
    suggestions = ((_span(s.at, locate), s) for s in diagnostic.suggestions)
    return Placed(
        diagnostic,
        _label(diagnostic.primary, locate),
        tuple(_label(label, locate) for label in diagnostic.secondary),
        tuple(PlacedSuggestion(span, suggestion) for span, suggestion in suggestions if span is not None),
    )


def _label(label: Label, locate: Locate) -> PlacedLabel:
    if label.at is None:
        return PlacedLabel(None, label.text)
    origin = label.at if isinstance(label.at, Origin) and not label.at.is_text else None
    return PlacedLabel(Place(label.at.path, _span(label.at, locate), origin), label.text)


def _span(at: Origin | Span, locate: Locate) -> Span | None:
    return locate(at) if isinstance(at, Origin) else at
