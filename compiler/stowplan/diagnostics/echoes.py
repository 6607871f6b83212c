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


def without_echoes(diagnostics: Iterable[Diagnostic], locate: Locate) -> tuple[Diagnostic, ...]:
    """The findings less those whose primary place overlaps the place of a finding of reading (SP01xx).

    A scalar that is refused stands in the data as the string it looks like, and a pass that expects a boolean there
    complains again. Places are looked up only in files that have such findings.
    """
    given = tuple(diagnostics)
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
