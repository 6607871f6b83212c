"""How source text looks on a terminal: tabs, wide characters, control characters, lines that are too long."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

__all__ = ["Excerpt", "clean", "cut_excerpt"]

_TAB: Final = "    "
_LONGEST: Final = 140
_LEAD: Final = 40
_ELLIPSIS: Final = "..."
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A source line as shown; `columns[i]` is the terminal column (from 0) at which its code point `i` starts."""

    text: str
    columns: tuple[int, ...]

    def reach(self, start: int, end: int) -> tuple[int, int]:
        """Terminal columns of the half-open stretch of code points `start` to `end` (from 0), at least one wide."""
        last = len(self.columns) - 1
        first = self.columns[min(start, last)]
        return first, max(self.columns[min(end, last)], first + 1)


def clean(text: str) -> str:
    """Text that cannot steer a terminal: control and invisible characters are replaced, line ends stay."""
    return text if text.isprintable() else "".join(c if c == "\n" else _shown(c) for c in text)


def cut_excerpt(line: str, start: int) -> Excerpt:
    """A line as shown, cut around code point `start` (from 0) where it is too long."""
    first, last = 0, len(line)
    if last > _LONGEST:
        first = max(0, min(start - _LEAD, last - _LONGEST))
        last = first + _LONGEST
    head = _ELLIPSIS if first else ""
    shown, columns = [head], [0] * first
    position = len(head)
    for character in line[first:last]:
        columns.append(position)
        text = _TAB if character == "\t" else _shown(character)
        position += sum(map(_width, text))
        shown.append(text)
    columns += [position] * (len(line) - last + 1)
    tail = _ELLIPSIS if last < len(line) else ""
    return Excerpt("".join(shown) + tail, tuple(columns))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\ufffd" if unicodedata.category(character) in _INVISIBLE else character


def _width(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
