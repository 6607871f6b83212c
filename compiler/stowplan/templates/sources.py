"""The texts of all templates, and places in them."""

from __future__ import annotations

from dataclasses import dataclass

from stowplan.source.span import Span

__all__ = ["Sources", "TemplateLine"]


@dataclass(frozen=True, slots=True)
class TemplateLine:
    """A line of a template's file; lines count from 1."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Sources:
    """The text of every template by name, and the path of its file where that is not the name."""

    texts: dict[str, str]
    paths: dict[str, str]

    def span(self, name: str, line: int, word: str | None = None) -> Span:
        """A word on a line of a template, or all of the line but its indent."""
        lines = self.texts.get(name, "").splitlines() or [""]
        line = max(1, min(line, len(lines)))
        text = lines[line - 1]
        start = text.find(word) if word else -1
        if word and start >= 0:
            end = start + len(word)
        else:
            start, end = len(text) - len(text.lstrip()), max(len(text.rstrip()), 1)
        return Span(self.paths.get(name, name), line, start + 1, line, max(end, start) + 1)

    def at(self, place: TemplateLine, word: str | None = None) -> Span:
        """The same, for a place that tracing found."""
        return self.span(place.name, place.line, word)
