"""Numbers as text, the way Go prints them."""

from __future__ import annotations

import math

__all__ = ["double_text", "fixed_text"]


def _digits(value: float) -> tuple[str, str, int]:
    """Sign, shortest digits and decimal exponent (of the first digit)."""
    text = repr(value)
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    power = int(exponent or 0) + len(whole) - 1
    digits = whole + fraction
    stripped = digits.lstrip("0")
    power -= len(digits) - len(stripped)
    return sign, stripped.rstrip("0") or "0", power if stripped else 0


def _special(value: float, infinity: str) -> str | None:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return ("-" if value < 0 else infinity[0] if infinity[0] == "+" else "") + infinity.lstrip("+")
    return None


def fixed_text(value: float, infinity: str = "+Inf") -> str:
    """All digits, never an exponent."""
    special = _special(value, infinity)
    if special is not None:
        return special
    sign, digits, power = _digits(value)
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}" if digits != "0" else f"{sign}0"
    digits = digits.ljust(power + 1, "0")
    fraction = digits[power + 1 :]
    return sign + digits[: power + 1] + (f".{fraction}" if fraction else "")


def double_text(value: float) -> str:
    """The shortest form that reads back equal; an exponent below 1e-4 and from 1e21 on."""
    special = _special(value, "+Inf")
    if special is not None:
        return special
    sign, digits, power = _digits(value)
    if -4 <= power < 21:
        return fixed_text(value)
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"
