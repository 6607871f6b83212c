"""Expression text: offsets to lines and columns."""

from __future__ import annotations

from bisect import bisect_right

from stowplan.cel.problem import Problem

__all__ = ["ExpressionText"]


class ExpressionText:
    """An expression's source; offsets are code points from 0, lines and columns count from 1."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] | None = None

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        if self._starts is None:
            self._starts = [0]
            self._starts.extend(i + 1 for i, c in enumerate(self.text) if c == "\n")
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def problem(self, start: int, end: int, message: str, kind: str, helps: tuple[str, ...] = ()) -> Problem:
        """A problem over the half-open stretch from `start` to `end`."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(end, start))
        return Problem(line, column, end_line, end_column, message, helps, kind)
