"""A name for a finding that stays the same when lines move: for tools that track findings over commits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

from stowplan.diagnostics.locator import Locator
from stowplan.diagnostics.placed import Place, Placed
from stowplan.source.span import format_pointer

__all__ = ["fingerprints"]


def fingerprints(placed: tuple[Placed, ...], locator: Locator) -> Iterator[str]:
    """One hexadecimal digest for each finding, all different.

    A digest depends on the code, the message, the subject, the file, and the path in the document or the words of the
    source line; never on line numbers. Findings that agree in all of it are numbered in their order.
    """
    seen: Counter[str] = Counter()
    for one in placed:
        diagnostic = one.diagnostic
        parts = (diagnostic.code, diagnostic.message, diagnostic.subject or "", *_where(one.primary.place, locator))
        key = "\0".join(parts)
        yield sha256(f"{key}\0{seen[key]}".encode()).hexdigest()
        seen[key] += 1


def _where(place: Place | None, locator: Locator) -> tuple[str, str]:
    if place is None:
        return "", ""
    if place.origin is not None:
        return place.path, format_pointer(place.origin.pointer)
    line = locator.excerpt(place.path, place.span.line) if place.span else None
    return place.path, (line or "").strip()
