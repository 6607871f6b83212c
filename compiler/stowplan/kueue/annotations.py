"""Values of Kueue's annotations, read without trust: users write them into manifests and templates."""

from __future__ import annotations

import json
import re

__all__ = ["layers", "whole_number"]

_NUMBER = re.compile(r"[0-9]{1,9}")
_LONGEST = 4096
"""Three levels of a topology and their sizes take a tenth of it."""


def whole_number(text: object) -> int | None:
    """A number as Kueue reads one; None for anything else, digits of other scripts and endless ones included."""
    return int(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else None


def layers(text: object) -> list[tuple[str, int]] | None:
    """Levels and sizes of `podset-slice-required-topology-constraints`; None where it is no such list."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        return None
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(rows, list):
        return None
    found = []
    for row in rows:
        level, size = (row.get("topology"), row.get("size")) if isinstance(row, dict) else (None, None)
        if not isinstance(level, str) or not isinstance(size, int) or isinstance(size, bool) or size < 1:
            return None
        found.append((level, size))
    return found
