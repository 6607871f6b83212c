"""Where a value stands: a span of text, or a path into a document that is resolved to one when asked."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Origin", "Pointer", "Span", "format_pointer"]

Pointer = tuple[str | int, ...]
"""A path into a document: a string steps into a mapping, an integer into a sequence."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open stretch of one file; lines and columns count from 1, columns in code points."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Origin:
    """A place in an input document, by path of keys; `SourceTree.locate` turns it into a `Span`.

    `path` is relative to the workspace root with forward slashes; `document` counts the documents of the
    file from 0; `at_key` points at the mapping key instead of the value below it. `inside` is a position within the
    scalar's own text (line and column from 1, and how many characters), for what a language in the text complains of.
    Of a template, which is text and no document, `inside` is a position within its file (`of_text`).
    """

    path: str
    document: int = 0
    pointer: Pointer = ()
    at_key: bool = False
    inside: tuple[int, int, int] | None = None

    @classmethod
    def of_text(cls, span: Span) -> Origin:
        """A place in a template: a stretch of one line."""
        return cls(span.path, inside=(span.line, span.column, max(1, span.end_column - span.column)))

    @property
    def is_text(self) -> bool:
        """Whether it is a place in a template."""
        return self.inside is not None and not self.pointer

    def __truediv__(self, step: str | int) -> Origin:
        return Origin(self.path, self.document, (*self.pointer, step))

    def below(self, pointer: Pointer) -> Origin:
        """The origin `pointer` steps further down; a place in a template has nothing below it, and stays."""
        return self if self.is_text else Origin(self.path, self.document, self.pointer + pointer)

    def key(self) -> Origin:
        """The same place, pointing at its key (for complaints about a name rather than a value)."""
        return Origin(self.path, self.document, self.pointer, at_key=True)

    def within(self, line: int, column: int, length: int) -> Origin:
        """A stretch of the scalar's own text."""
        return Origin(self.path, self.document, self.pointer, inside=(line, column, max(1, length)))

    def sort_key(self) -> tuple[str, int, tuple[tuple[int, str | int], ...]]:
        """A total order over origins of mixed pointers."""
        return self.path, self.document, tuple((isinstance(s, str), s) for s in self.pointer)


def format_pointer(pointer: Pointer) -> str:
    """The pointer as people write it: `spec.workers[0].count`."""
    out = ""
    for step in pointer:
        if isinstance(step, int):
            out += f"[{step}]"
        elif step and all(c.isalnum() or c in "_-" for c in step):
            out += f".{step}" if out else step
        else:
            out += f"[{step!r}]"
    return out
