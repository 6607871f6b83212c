"""Ranges of component versions, such as `>=0.10,<0.19`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["version_in_range"]

_NUMBERS: Final = re.compile(r"v?(\d+(?:\.\d+){0,4})")
_TERM: Final = re.compile(r"(>=|<=|>|<|=)\s*(v?\d[\w.+-]*)")


@lru_cache(maxsize=4096)
def version_in_range(version: str, wanted: str) -> bool:
    """Whether a version meets all comma-separated terms; an empty range takes all, an unreadable version too.

    A version that cannot be read is taken to be in range, since a writer must rather be assumed than forgotten.
    """
    numbers = _numbers(version)
    if numbers is None:
        return True
    for operator, limit_text in _TERM.findall(wanted):
        limit = _numbers(limit_text) or ()
        width = max(len(numbers), len(limit))
        mine, theirs = (n + (0,) * (width - len(n)) for n in (numbers, limit))
        holds = {
            ">=": mine >= theirs, "<=": mine <= theirs, ">": mine > theirs, "<": mine < theirs, "=": mine == theirs,
        }  # fmt: skip
        if not holds[operator]:
            return False
    return True


def _numbers(text: str) -> tuple[int, ...] | None:
    found = _NUMBERS.match(text.strip())
    return None if found is None else tuple(int(part) for part in found[1].split("."))
