"""Semantic versions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from stowplan.cel.library import Signatures
from stowplan.cel.operators import fault
from stowplan.cel.problem import CelEvaluationError

__all__ = ["FUNCTIONS", "Semver", "parse_semver"]

_NUMBER = r"(0|[1-9][0-9]{0,18})"
_IDENTIFIER = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z\-][0-9A-Za-z\-]*)"
_SEMVER = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?(?:\+([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?\Z"
)
_LOOSE = re.compile(r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?([-+].*)?\Z", re.DOTALL)
_MAX_TEXT = 256


class Semver:
    """One version; build metadata does not count in comparisons."""

    __slots__ = ("key", "numbers", "text")
    cel_type = "kubernetes.Semver"

    def __init__(self, text: str, numbers: tuple[int, int, int], prerelease: str | None) -> None:
        self.text = text
        self.numbers = numbers
        parts: tuple[Any, ...] = (1,)
        if prerelease is not None:
            items = prerelease.split(".")
            parts = (0, tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in items))
        self.key = (numbers, parts)

    def compare(self, other: Semver) -> int:
        """-1, 0 or 1 by precedence."""
        return (self.key > other.key) - (self.key < other.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"semver({self.text!r})"


@lru_cache(maxsize=1024)
def parse_semver(text: str, loose: bool = False) -> Semver:
    """Read a version; a loose one may start with v, lack minor and patch, and have leading zeros."""
    if len(text) <= _MAX_TEXT:
        exact = _normalise(text) if loose else text
        match = _SEMVER.match(exact)
        if match is not None:
            return Semver(exact, (int(match[1]), int(match[2]), int(match[3])), match[4])
    raise fault(f"invalid semantic version {text[:50]!r}")


def _normalise(text: str) -> str:
    match = _LOOSE.match(text)
    if match is None or (match[4] and match[3] is None):  # a short version has nothing after its numbers
        return text
    numbers = ".".join(str(int(part or 0)) for part in match.groups()[:3])
    return numbers + (match[4] or "")


@lru_cache(maxsize=2048)
def _is_semver(text: str, loose: bool = False) -> bool:
    try:
        parse_semver(text, loose)
    except CelEvaluationError:
        return False
    return True


FUNCTIONS: Signatures = (
    ("semver(string) -> kubernetes.Semver", parse_semver),
    ("semver(string, bool) -> kubernetes.Semver", parse_semver),
    ("isSemver(string) -> bool", _is_semver),
    ("isSemver(string, bool) -> bool", _is_semver),
    ("(kubernetes.Semver).major() -> int", lambda version: version.numbers[0]),
    ("(kubernetes.Semver).minor() -> int", lambda version: version.numbers[1]),
    ("(kubernetes.Semver).patch() -> int", lambda version: version.numbers[2]),
    ("(kubernetes.Semver).isGreaterThan(kubernetes.Semver) -> bool", lambda left, right: left.compare(right) == 1),
    ("(kubernetes.Semver).isLessThan(kubernetes.Semver) -> bool", lambda left, right: left.compare(right) == -1),
    ("(kubernetes.Semver).compareTo(kubernetes.Semver) -> int", Semver.compare),
)
