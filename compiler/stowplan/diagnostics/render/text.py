"""Findings with the source lines they speak of, in the manner of a good compiler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from stowplan.diagnostics.locator import Catalogue, Locator
from stowplan.diagnostics.placed import Placed
from stowplan.diagnostics.render.palette import ANSI, PLAIN, Palette
from stowplan.diagnostics.render.snippet import Mark, Snippet, snippets
from stowplan.diagnostics.render.width import clean, cut_excerpt

__all__ = ["render"]

_MOST_OF_A_CODE: Final = 10
_MOST_TARGETS: Final = 8


def render(placed: tuple[Placed, ...], *, locator: Locator, color: bool, catalogue: Catalogue | None) -> str:
    """All findings, a blank line between them; of one code in one file at most ten, then how many more there are."""
    del catalogue
    palette = ANSI if color else PLAIN
    seen: Counter[tuple[str, str]] = Counter()
    shown: list[str] = []
    for one in placed:
        group = _group(one)
        seen[group] += 1
        if seen[group] <= _MOST_OF_A_CODE:
            shown.append("".join(f"{line}\n" for line in _finding(one, locator, palette)))
    rest = [(group, count - _MOST_OF_A_CODE) for group, count in seen.items() if count > _MOST_OF_A_CODE]
    shown += [f"... and {count:,} more {code} in {clean(path) or 'this run'}\n" for (path, code), count in rest]
    return "\n".join(shown)


def _group(one: Placed) -> tuple[str, str]:
    return (one.primary.place.path if one.primary.place else "", one.diagnostic.code)


def _finding(one: Placed, locator: Locator, palette: Palette) -> Iterator[str]:
    diagnostic = one.diagnostic
    colour = palette.severity(diagnostic.severity)
    head = palette.paint(colour, f"{diagnostic.severity.word}[{diagnostic.code}]")
    message = clean(diagnostic.message).replace("\n", " ")
    yield f"{head}{palette.paint(palette.strong, f': {message}')}"
    parts = snippets(one, locator)
    margin = max([2, *(len(str(mark.line)) for part in parts for mark in part.marks)])
    for number, part in enumerate(parts):
        yield from _snippet(part, "-->" if number == 0 else ":::", margin, palette, colour)
    if not parts and one.where:
        yield f"{' ' * margin}{palette.paint(palette.frame, '-->')} {clean(one.where)}"
    yield from _remarks(one, margin, palette, any(part.marks for part in parts))


def _snippet(part: Snippet, arrow: str, margin: int, palette: Palette, colour: str) -> Iterator[str]:
    bar = palette.paint(palette.frame, "|")
    yield f"{' ' * margin}{palette.paint(palette.frame, arrow)} {clean(part.where)}"
    if not part.marks:
        return
    yield f"{' ' * margin} {bar}"
    previous = 0
    for mark in part.marks:
        if mark.line != previous:
            if previous and mark.line > previous + 1:
                yield palette.paint(palette.frame, "...")
            number = palette.paint(palette.frame, f"{mark.line:>{margin}}")
            yield f"{number} {bar} {cut_excerpt(mark.source, mark.start).text}".rstrip()
        yield f"{' ' * margin} {bar} {_underline(mark, palette, colour)}"
        previous = mark.line


def _underline(mark: Mark, palette: Palette, colour: str) -> str:
    first, last = cut_excerpt(mark.source, mark.anchor).reach(mark.start, mark.end)
    line = ("^" if mark.is_primary else "-") * (last - first)
    text = f"{line} {clean(mark.text)}".replace("\n", " ").rstrip()
    return " " * first + palette.paint(colour if mark.is_primary else palette.secondary, text)


def _remarks(one: Placed, margin: int, palette: Palette, has_source: bool) -> Iterator[str]:
    diagnostic = one.diagnostic
    remarks = [("note", note) for note in diagnostic.notes]
    remarks += [("note", label.text) for label in one.secondary if label.place is None and label.text]
    if diagnostic.subject and one.primary.place is not None:
        remarks.append(("note", f"concerns {diagnostic.subject}"))
    if diagnostic.targets:
        remarks.append(("note", f"on {_some(diagnostic.targets)}"))
    remarks += [("help", help_text) for help_text in diagnostic.helps]
    if not diagnostic.helps:
        remarks += [("help", f"replace with `{s.suggestion.replacement}`") for s in one.suggestions]
    if remarks and has_source:
        yield f"{' ' * margin} {palette.paint(palette.frame, '|')}"
    for kind, text in remarks:
        lead = f"{' ' * margin} {palette.paint(palette.frame, '=')} {palette.paint(palette.strong, kind)}: "
        indent = " " * (margin + len(kind) + 5)
        yield lead + f"\n{indent}".join(clean(text).split("\n"))


def _some(names: tuple[str, ...]) -> str:
    rest = len(names) - _MOST_TARGETS
    shown = ", ".join(names[:_MOST_TARGETS])
    return f"{shown}, and {rest:,} more" if rest > 0 else shown
