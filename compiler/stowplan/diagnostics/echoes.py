"""One mistake, one finding: drop what later passes say of a place that could not even be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from stowplan.diagnostics.model import Diagnostic
from stowplan.diagnostics.placed import Locate
from stowplan.source.span import Origin, Span

__all__ = ["without_echoes"]

_READING: Final = "SP01"
_MERGE_KEY: Final = "SP0109"
_MISSING_FIELD: Final = "SP0202"
"""What a refused merge key would have brought in is not missing."""
_SAID_BETTER: Final = {"SP0901": ("SP2003", "SP2071", "SP2081")}
"""Findings that fall silent where one of others stands: that a field has two writers, where a rule says which field of
Kueue's was rendered, and why not to."""


def without_echoes(diagnostics: Iterable[Diagnostic], locate: Locate) -> tuple[Diagnostic, ...]:
    """The findings less those whose primary place overlaps that of a finding of reading (SP01xx), or of a better one.

    A scalar that is refused stands in the data as the string it looks like, and a pass that expects a boolean there
    complains again. Places are looked up only in files that have such findings.
    """
    given = _without_vague(tuple(diagnostics), locate)
    unread: dict[str, list[Span]] = defaultdict(list)
    for diagnostic in given:
        at = diagnostic.primary.at
        if diagnostic.code.startswith(_READING) and isinstance(at, Span):
            unread[at.path].append(at)
    merged = {d.primary.at.path for d in given if d.code == _MERGE_KEY and isinstance(d.primary.at, Span)}
    return tuple(
        d
        for d in given
        if d.code.startswith(_READING)
        or not (_is_echo(d.primary.at, unread, locate) or (d.code == _MISSING_FIELD and _path(d) in merged))
    )


def _without_vague(given: tuple[Diagnostic, ...], locate: Locate) -> tuple[Diagnostic, ...]:
    """Less the findings of `_SAID_BETTER` about the same object and place as a better one."""
    codes = {d.code for d in given}
    doubtful = {code: better for code, better in _SAID_BETTER.items() if code in codes and codes.intersection(better)}
    if not doubtful:
        return given
    wanted = {code for better in doubtful.values() for code in better}
    places = [
        (d.code, d.primary.at.path, _span(d.primary.at, locate)) for d in given if d.code in wanted and d.primary.at
    ]

    def is_vague(one: Diagnostic) -> bool:
        at = one.primary.at
        span = _span(at, locate) if at is not None and one.code in doubtful else None
        return span is not None and any(
            code in doubtful[one.code] and path == span.path and other is not None and _touch(span, other)
            for code, path, other in places
        )

    return tuple(d for d in given if not is_vague(d))


def _span(at: Origin | Span, locate: Locate) -> Span | None:
    return locate(at) if isinstance(at, Origin) else at


def _touch(one: Span, other: Span) -> bool:
    """On common lines: a key and the value beside it."""
    return one.line <= other.end_line and other.line <= one.end_line


def _is_echo(at: Origin | Span | None, unread: dict[str, list[Span]], locate: Locate) -> bool:
    if at is None or at.path not in unread:
        return False
    span = locate(at) if isinstance(at, Origin) else at
    return span is not None and any(_overlap(span, other) for other in unread[at.path])


def _overlap(one: Span, other: Span) -> bool:
    one_end, other_end = (one.end_line, one.end_column), (other.end_line, other.end_column)
    return (one.line, one.column) < other_end and (other.line, other.column) < one_end


def _path(diagnostic: Diagnostic) -> str | None:
    at = diagnostic.primary.at
    return at.path if at is not None else None
