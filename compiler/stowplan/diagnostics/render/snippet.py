"""Gather the labels of a finding into snippets: one for each file, lines in order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stowplan.diagnostics.locator import Locator
from stowplan.diagnostics.placed import Placed, PlacedLabel
from stowplan.source.span import Span

__all__ = ["Mark", "Snippet", "snippets"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One underlined stretch: code points `start` to `end` (from 0, half-open) of line `line` (from 1).

    `anchor` is the code point that a cut of a long line is made around; all marks of a line share it.
    """

    line: int
    start: int
    end: int
    source: str
    text: str
    is_primary: bool
    anchor: int


@dataclass(frozen=True, slots=True)
class Snippet:
    """A file with the stretches to show; `where` is the place of the label that counts most in it."""

    where: str
    marks: tuple[Mark, ...]


def snippets(one: Placed, locator: Locator) -> tuple[Snippet, ...]:
    """The snippets of a finding: the primary label's file first, the others in the order of their labels."""
    by_path: dict[str, list[tuple[PlacedLabel, bool]]] = {}
    for number, label in enumerate((one.primary, *one.secondary)):
        if label.place is not None:
            by_path.setdefault(label.place.path, []).append((label, number == 0))
    return tuple(_snippet(labels, locator) for labels in by_path.values())


def _snippet(labels: list[tuple[PlacedLabel, bool]], locator: Locator) -> Snippet:
    first = labels[0][0].place
    marks = [
        mark
        for label, is_primary in labels
        if label.place and label.place.span and (mark := _mark(label.place.span, label.text, is_primary, locator))
    ]
    marks.sort(key=lambda mark: (mark.line, not mark.is_primary, mark.start, mark.end, mark.text))
    anchors: dict[int, int] = {}
    for mark in marks:
        anchors.setdefault(mark.line, mark.start)
    return Snippet(first.text if first else "", tuple(replace(mark, anchor=anchors[mark.line]) for mark in marks))


def _mark(span: Span, text: str, is_primary: bool, locator: Locator) -> Mark | None:
    """The mark of a span, of its first line where it spreads over several."""
    source = locator.excerpt(span.path, span.line)
    if source is None:
        return None
    start = min(span.column - 1, len(source))
    end = span.end_column - 1 if span.end_line == span.line else len(source.rstrip())
    return Mark(span.line, start, max(start, min(end, len(source))), source, text, is_primary, start)
