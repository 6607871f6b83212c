"""Reads quantities for comparison; the text has already been accepted by strict decoding."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

__all__ = ["is_whole", "quantity", "whole"]

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


_FAST_DIGITS = 18
_FAST_BINARY_DIGITS = 14
_HALF, _WORD = 1 << 63, 1 << 64


def is_whole(text: str) -> bool:
    """Whether the server takes a quantity for a whole number.

    It looks at thousandths in 64 bits: a large number that it holds in arbitrary precision wraps around there and is
    refused, one that it holds in machine form is not.
    """
    found = _match(text)
    number = quantity(text)
    if found is None or not _is_arbitrary(found[2] or "", found[3] or "", found[4]):
        return number.denominator == 1 or (number * 1000).__ceil__() % 1000 == 0
    places, suffix = len(found[3] or ""), found[4]
    if suffix not in _BINARY:
        places -= int(found[5]) if found[5].lstrip("+-") else _DECIMAL.get(suffix, 0)
    if places > 3:  # scaled down, which does not wrap
        return (number * 1000).__ceil__() % 1000 == 0
    machine = _wrapped(int(number * Fraction(10) ** places))
    return _wrapped(machine * 10 ** (3 - places)) % 1000 == 0


def whole(text: str) -> int:
    """A quantity as the server counts with it: rounded up, in 64 bits."""
    return _wrapped(quantity(text).__ceil__())


def _wrapped(number: int) -> int:
    return (number + _HALF) % _WORD - _HALF


def _is_arbitrary(whole: str, part: str, suffix: str) -> bool:
    """Whether the server reads a number with these digits and suffix in arbitrary precision."""
    digits = len(whole.lstrip("0"))
    if suffix in _BINARY:
        return bool(part) or digits + _BINARY[suffix] * 3 // 10 > _FAST_BINARY_DIGITS
    return digits + len(part) > _FAST_DIGITS
