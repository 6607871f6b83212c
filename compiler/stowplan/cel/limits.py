"""The bounds that keep hostile expressions from using unbounded time or memory."""

from __future__ import annotations

from stowplan.cel.problem import CelBudgetError

__all__ = [
    "MAX_DEPTH", "MAX_NESTING", "MAX_PATTERN", "MAX_RANGE", "MAX_TEXT", "STEP_LIMIT", "Meter", "charge", "fill",
]  # fmt: skip

MAX_TEXT = 100_000
"""Code points in one expression (the API server's parser has the same bound)."""
MAX_NESTING = 96
"""Brackets and conditionals inside each other."""
MAX_DEPTH = 160
"""Levels of the tree, which long chains of `+` or `.` also deepen."""
STEP_LIMIT = 1_000_000
"""Units one evaluation may use: one per iteration, one per ten characters or per list element produced."""
MAX_RANGE = 1_000_000
"""Elements `lists.range` may produce, before the budget is asked."""
MAX_PATTERN = 10_000
"""Characters of one regular expression."""

Meter = list[int]
"""A one-element list: the units left to this evaluation."""


def fill(limit: int = STEP_LIMIT) -> Meter:
    """A full meter."""
    return [limit]


def charge(meter: Meter, units: int) -> None:
    """Take units from the meter; raises `CelBudgetError` when it runs dry."""
    left = meter[0] - units
    meter[0] = left
    if left < 0:
        raise CelBudgetError("the expression exceeded its budget of evaluation steps")
