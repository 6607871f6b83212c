"""Numbers as the server writes them back: whole ones without a fraction, those beyond 64 bits in the shortest digits."""

from __future__ import annotations

from decimal import Decimal

__all__ = ["whole_number"]

_EXACT, _WRITTEN_OUT = 2**53, 1e21


def whole_number(value: float) -> int | float:
    """A number that was read as a float: an integer where it is one and is written in full, else the float; as it is if no float."""
    try:
        read = float(value)
    except OverflowError:
        return value
    if not read.is_integer() or abs(read) >= _WRITTEN_OUT:
        return read
    return int(read) if abs(read) < _EXACT else int(Decimal(repr(read)))
