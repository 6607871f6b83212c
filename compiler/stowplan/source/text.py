"""Bytes to text: UTF-8 or a complaint, no characters that hide or that YAML versions read differently."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from stowplan.source.problems import Problem, ProblemKind
from stowplan.source.span import Span

__all__ = ["check_text", "decode", "line_starts", "split_lines"]

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_REPLACEMENT: Final = "\ufffd"
_WIDE_MARKS: Final = {
    b"\xff\xfe\x00\x00": "UTF-32", b"\x00\x00\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16",
}  # fmt: skip

_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ue000\ue001\ufeff\ufffe\uffff]"
)
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


def decode(path: str, raw: bytes) -> tuple[str, tuple[Problem, ...]]:
    """The text of a file, without a byte order mark. Bytes that are not UTF-8 become U+FFFD and one problem."""
    for mark, name in _WIDE_MARKS.items():
        if raw.startswith(mark):
            return "", (Problem(ProblemKind.INVALID_ENCODING, path, None, details=(name,)),)
    problems: list[Problem] = []
    if raw.startswith(_BYTE_ORDER_MARK):
        raw = raw[len(_BYTE_ORDER_MARK) :]
        problems.append(Problem(ProblemKind.INVALID_ENCODING, path, Span(path, 1, 1, 1, 1), details=("mark",)))
    try:
        return raw.decode("utf-8"), tuple(problems)
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        bad = raw[error.start : error.end].hex(" ")
        at = _span(path, before)
        problems.append(Problem(ProblemKind.INVALID_ENCODING, path, at, bad, ("bytes",)))
        return raw.decode("utf-8", "replace"), tuple(problems)


def check_text(path: str, text: str, most: int) -> tuple[str, tuple[Problem, ...]]:
    """The text with every forbidden character replaced by U+FFFD, and a problem for each of them.

    Where there are `most` of them or more, the first `most` are reported and the text is empty: it is not text.
    """
    if _FORBIDDEN.search(text) is None:
        return text, ()
    problems = tuple(_forbidden(path, text, most))
    if len(problems) >= most:
        facts = (f"{most} problems",)
        return "", (*problems, Problem(ProblemKind.TOO_MANY_PROBLEMS, path, problems[-1].at, details=facts))
    return _FORBIDDEN.sub(_REPLACEMENT, text), problems


def _forbidden(path: str, text: str, most: int) -> Iterator[Problem]:
    starts = line_starts(text)
    for number, found in enumerate(_FORBIDDEN.finditer(text)):
        if number == most:
            return
        line = bisect_right(starts, found.start())
        column = found.start() - starts[line - 1] + 1
        at = Span(path, line, column, line, column + 1)
        yield Problem(ProblemKind.FORBIDDEN_CHARACTER, path, at, f"U+{ord(found[0]):04X}")


def line_starts(text: str) -> list[int]:
    """Offsets at which the lines of a text start, line 1 first; CR LF, CR and LF end a line, nothing else does."""
    return [0, *(found.end() for found in _LINE_BREAK.finditer(text))]


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends, as an editor numbers them."""
    return _LINE_BREAK.split(text)


def _span(path: str, before: str) -> Span:
    """The span of the one character that follows `before`."""
    starts = line_starts(before)
    column = len(before) - starts[-1] + 1
    return Span(path, len(starts), column, len(starts), column + 1)
