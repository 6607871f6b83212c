"""Did you mean: the names of a closed set that a mistyped one is closest to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["did_you_mean", "distance", "suggest"]

_LONGEST: Final = 128
_MOST_CANDIDATES: Final = 20_000


def suggest(name: str, candidates: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """At most `most` candidates that resemble `name`, the closest first, ties by name. Letter case counts little."""
    if not name or len(name) > _LONGEST:
        return ()
    scored: list[tuple[int, str]] = []
    for candidate in sorted(set(candidates))[:_MOST_CANDIDATES]:
        within = _tolerance(name, candidate)
        if candidate == name or abs(len(candidate) - len(name)) > within:
            continue
        apart = distance(_folded(name), _folded(candidate), within)
        if apart <= within:
            scored.append((apart, candidate))
    closest = sorted(scored)
    return tuple(candidate for apart, candidate in closest[:most] if apart <= closest[0][0] + 1)


def did_you_mean(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The help for a mistyped name, as a tuple to hand to a diagnostic: empty where nothing is close."""
    close = [f"`{candidate}`" for candidate in suggest(name, candidates)]
    if not close:
        return ()
    return (f"did you mean {' or '.join([', '.join(close[:-1]), close[-1]]) if len(close) > 1 else close[0]}?",)


def distance(one: str, other: str, within: int) -> int:
    """Edits from one text to the other (insert, delete, replace, swap neighbours); `within + 1` for anything more."""
    if abs(len(one) - len(other)) > within:
        return within + 1
    too_far = within + 1
    beyond: list[int] = []
    before = [min(j, too_far) for j in range(len(other) + 1)]
    for i in range(1, len(one) + 1):
        row = [too_far] * (len(other) + 1)
        row[0] = min(i, too_far)
        # Cells further than `within` from the diagonal cannot be part of a near match.
        for j in range(max(1, i - within), min(len(other), i + within) + 1):
            cost = before[j - 1] if one[i - 1] == other[j - 1] else 1 + min(before[j - 1], before[j], row[j - 1])
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                cost = min(cost, beyond[j - 2] + 1)
            row[j] = min(cost, too_far)
        if min(row) == too_far:
            return too_far
        beyond, before = before, row
    return before[-1]


def _tolerance(name: str, candidate: str) -> int:
    """A third of the longer name, at least one letter and at most four; none for names of one or two letters."""
    longer = max(len(name), len(candidate))
    return min(4, max(1, longer // 3)) if longer > 2 else 0


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")
