"""Reads quantities for comparison; the text has already been accepted by strict decoding."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

__all__ = ["quantity"]

_match = re.compile(r"\s*([+-]?)([0-9]*)(?:\.([0-9]*))?([A-Za-z]*)([+-]?[0-9]*)\s*").fullmatch
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_MAXIMUM_EXPONENT = 400


@lru_cache(maxsize=4096)
def quantity(text: str | int | float | None) -> Fraction:
    """The number a quantity stands for; absent or unreadable counts as zero."""
    found = _match(str(text)) if text is not None else None
    if found is None:
        return Fraction(0)
    sign, whole, part, suffix, exponent = found.groups()
    digits = (whole or "") + (part or "")
    number = Fraction(int(digits or "0"), 10 ** len(part or ""))
    if suffix in _BINARY:
        number *= 1 << _BINARY[suffix]
    elif suffix in ("e", "E") and exponent.lstrip("+-"):
        power = max(-_MAXIMUM_EXPONENT, min(int(exponent), _MAXIMUM_EXPONENT))
        number *= Fraction(10) ** power
    else:
        number *= Fraction(10) ** _DECIMAL.get(suffix, 0)
    return -number if sign == "-" else number
