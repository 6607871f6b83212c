"""Rules of numbers that may be given as percentages."""

from __future__ import annotations

import re

from .report import Report

__all__ = ["amount_of", "check_at_most_all", "check_number_or_percent"]

_match = re.compile("([0-9]+)%").fullmatch
_TEXT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)


def check_number_or_percent(value: int | str | None, path: str, report: Report) -> None:
    """A whole number from zero on, or a percentage; absent counts as zero."""
    if isinstance(value, str):
        if not _match(value):
            report.invalid(path, value, _TEXT)
    else:
        report.non_negative(path, value)


def amount_of(value: int | str | None) -> int:
    """The number, or the percentage as a number, or zero for what is neither."""
    if isinstance(value, str):
        found = _match(value)
        if found:
            return int(found[1][:9])
        return int(value[:9]) if re.fullmatch("[+-]?[0-9]+", value) else 0
    return value or 0


def check_at_most_all(value: int | str | None, path: str, report: Report) -> None:
    """A percentage may not exceed 100."""
    found = _match(value) if isinstance(value, str) else None
    if found and int(found[1][:9]) > 100:
        report.invalid(path, value, "must not be greater than 100%")
