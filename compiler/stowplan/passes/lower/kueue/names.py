"""Names within the limits of the kinds that carry them, readable and stable."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

__all__ = ["LABEL_LIMIT", "digest_of", "joined_name", "limited_name"]

LABEL_LIMIT = 63
"""Characters of a DNS label, and of a label's value."""

_DIGEST_LENGTH = 6


def digest_of(*parts: str) -> str:
    """A short digest that tells lists of parts apart."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGEST_LENGTH]


def limited_name(name: str, limit: int = LABEL_LIMIT, *, letter_first: bool = False) -> str:
    """The name itself where it fits; else its beginning and a digest of the whole.

    `letter_first` is for kinds whose names follow RFC 1035: a name that starts with a digit gets `w-` before it.
    """
    wanted = f"w-{name}" if letter_first and not name[:1].isalpha() else name
    if len(wanted) <= limit:
        return wanted
    head = wanted[: limit - _DIGEST_LENGTH - 1].rstrip("-.")
    return f"{head}-{digest_of(wanted)}"


def joined_name(parts: Iterable[str], limit: int = LABEL_LIMIT) -> str:
    """Parts joined by `-`, shortened where they do not fit.

    Two lists of parts can join to one text (`a-b`, `c` and `a`, `b-c`): whoever names several things checks that.
    """
    return limited_name("-".join(parts), limit)
