"""The labels of a Namespace that say which standard counts there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["Levels", "Standard", "levels_of"]

_PREFIX: Final = "pod-security.kubernetes.io/"
_NAMES: Final = ("privileged", "baseline", "restricted")
_VERSION: Final = re.compile(r"v1\.(0|[1-9][0-9]*)", re.ASCII)
LATEST: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Standard:
    """A level and the minor of its version; `LATEST` is the newest there is."""

    level: str = "privileged"
    minor: int = LATEST

    def __str__(self) -> str:
        return f"{self.level}:{'latest' if self.minor == LATEST else f'v1.{self.minor}'}"


@dataclass(frozen=True, slots=True)
class Levels:
    """What a Namespace enforces and warns of. What it audits no client sees."""

    enforce: Standard = Standard()
    warn: Standard = Standard()


def levels_of(labels: Mapping[str, str]) -> Levels:
    """The standards by labels; a level that is none counts as restricted where it is enforced, as nothing elsewhere.

    What is enforced is warned of too, unless the labels say something else.
    """
    enforced, warned = labels.get(f"{_PREFIX}enforce"), labels.get(f"{_PREFIX}warn")
    minor = _minor(labels.get(f"{_PREFIX}enforce-version"))
    enforce = Standard() if enforced is None else Standard(enforced if enforced in _NAMES else "restricted", minor)
    if warned is None:
        is_own = f"{_PREFIX}warn-version" in labels
        level = enforce.level if enforced in _NAMES else "privileged"
        return Levels(enforce, Standard(level, _minor(labels.get(f"{_PREFIX}warn-version")) if is_own else minor))
    level = warned if warned in _NAMES else "privileged"
    return Levels(enforce, Standard(level, _minor(labels.get(f"{_PREFIX}warn-version"))))


def _minor(text: str | None) -> int:
    found = _VERSION.fullmatch(text or "")
    return int(found[1]) if found is not None and len(found[1]) < 5 else LATEST
