"""Kubernetes' scalar notations: quantities, durations and int-or-string, with exact values and stored spellings.

A quantity is a decimal number with an optional suffix: `k`, `M`, ... (powers of 1000), `Ki`, `Mi`, ... (powers of
1024) or an exponent (`1e3`). The server keeps the family of the suffix (`QuantityForm`) and writes the number in the
largest unit of that family that leaves an integer, so `1024Mi` is stored as `1Gi`, `0.5` as `500m` and `1000` as `1k`.
A spelling without a fraction whose digits and exponent are canonical already is kept letter for letter (`1E3`, `+1`,
`01`). Equal values can therefore be spelt differently: compare `parse_quantity`, not text.

A duration is Go's: `1h30m`, stored as `1h30m0s`. An int-or-string is a number, or a text such as `25%` or a port name.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

__all__ = [
    "DurationError",
    "Quantity",
    "QuantityError",
    "QuantityForm",
    "canonical_duration",
    "canonical_quantity",
    "format_duration",
    "format_quantity",
    "parse_duration",
    "parse_percent",
    "parse_quantity",
    "quantity_bytes",
    "read_quantity",
]

_FORMAT_MESSAGE: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_SUFFIX_MESSAGE: Final = "unable to parse quantity's suffix"

# The characters the server trims: it looks at the JSON text, in which control characters are escapes, not spaces.
_SPACES: Final = (
    " \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)

_PATTERN: Final = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?P<suffix>[eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII
)
_EXPONENT: Final = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)

_MAX_LENGTH: Final = 512
_MAX_EXPONENT: Final = 1000
_FAST_DIGITS: Final = 18
_NANO: Final = -9
_MILLI: Final = -3
_BINARY_LIMIT: Final = 2**63 - 1


class QuantityError(ValueError):
    """A text that is not a quantity; the message is the server's."""


class QuantityForm(enum.Enum):
    """Which family of suffixes a quantity is written with."""

    DECIMAL = "decimal"
    BINARY = "binary"
    EXPONENT = "exponent"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity as the server holds it: the exact `value`, its `form`, and the `text` it would be stored as.

    `milli` is the stored text in a resource list, where values are rounded up to thousandths.
    """

    value: int | Fraction
    form: QuantityForm
    text: str
    milli: str


_DECIMAL_SUFFIXES: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES: Final = {power: name for name, power in _DECIMAL_SUFFIXES.items()}
_BINARY_NAMES: Final = ("", *_BINARY_SUFFIXES)


def _interpret_suffix(suffix: str) -> tuple[QuantityForm, int]:
    """The form of a suffix, and its power of ten (of two for the binary form)."""
    power = _DECIMAL_SUFFIXES.get(suffix)
    if power is not None:
        return QuantityForm.DECIMAL, power
    power = _BINARY_SUFFIXES.get(suffix)
    if power is not None:
        return QuantityForm.BINARY, power
    match = _EXPONENT.fullmatch(suffix)
    if match is None:
        raise QuantityError(_SUFFIX_MESSAGE)
    power = int(match[1])
    if power > _MAX_EXPONENT:
        raise QuantityError(f"exponents above {_MAX_EXPONENT} are not supported")
    return QuantityForm.EXPONENT, max(power, -_MAX_EXPONENT)


def _round_up(value: Fraction, scale: int) -> Fraction:
    """The value at a precision of 10**scale, rounded away from zero."""
    unit = Fraction(10) ** -scale
    scaled = value * unit
    whole = -(-scaled.numerator // scaled.denominator) if scaled > 0 else scaled.numerator // scaled.denominator
    return Fraction(whole) / unit


def _plain(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def _decimal_parts(value: Fraction) -> tuple[int, int]:
    """Digits and exponent (a multiple of three) of a value with at most nine decimals."""
    if value.denominator == 1:
        digits, exponent = value.numerator, 0
    else:
        digits, exponent = (value * 10**9).numerator, _NANO
    while digits % 10 == 0:
        digits //= 10
        exponent += 1
    rest = exponent % 3
    return digits * 10**rest, exponent - rest


def _format_parts(value: Fraction, form: QuantityForm) -> tuple[int, str, int | None]:
    """Digits, suffix and decimal exponent (None for a binary suffix) of the canonical spelling."""
    if form is QuantityForm.BINARY and value.denominator == 1 and abs(value) >= 1024:
        digits, steps = value.numerator, 0
        while digits % 1024 == 0 and steps < len(_BINARY_NAMES) - 1:
            digits //= 1024
            steps += 1
        return digits, _BINARY_NAMES[steps], None
    digits, exponent = _decimal_parts(value)
    if form is QuantityForm.EXPONENT:
        return digits, f"e{exponent}" if exponent else "", exponent
    # Beyond 10**18 the server finds no suffix and leaves it out: 1000E is stored as 1.
    return digits, _DECIMAL_NAMES.get(exponent, ""), exponent


def format_quantity(value: int | Fraction, form: QuantityForm = QuantityForm.DECIMAL) -> str:
    """The canonical spelling of a value in a form; values finer than nano are rounded up (away from zero)."""
    exact = _round_up(Fraction(value), _NANO)
    if exact == 0:
        return "0"
    digits, suffix, _ = _format_parts(exact, form)
    return f"{digits}{suffix}"


def _is_fast(form: QuantityForm, whole: str, part: str, power: int) -> bool:
    """Whether the server can hold the number in 64 bits, in which case it remembers the spelling."""
    if form is QuantityForm.BINARY:
        return not part and 14 - len(whole) - power * 3 // 10 >= 0
    return len(whole) + len(part) <= _FAST_DIGITS and power - len(part) >= _NANO


def _stored_text(text: str, match: re.Match[str], value: Fraction, form: QuantityForm, power: int) -> str:
    """The spelling as stored: kept when digits and exponent are canonical, else rewritten."""
    digits, suffix, exponent = _format_parts(value, form)
    canonical = f"{digits}{suffix}"
    part = match["part"] or ""
    whole = match["whole"].lstrip("0")
    if part or not whole or not _is_fast(form, whole, part, power):
        return canonical
    same_unit = match["suffix"] == suffix if exponent is None else exponent == power
    return text if same_unit and whole == str(abs(digits)) else canonical


def _value_of(match: re.Match[str], form: QuantityForm, power: int) -> Fraction:
    part = match["part"] or ""
    value = Fraction(int((match["whole"] or "0") + part), 10 ** len(part))
    value *= 2**power if form is QuantityForm.BINARY else Fraction(10) ** power
    value = _round_up(value, _NANO)
    if form is QuantityForm.BINARY:
        value = min(value, Fraction(_BINARY_LIMIT))
    return -value if match["sign"] == "-" else value


@lru_cache(maxsize=16384)
def read_quantity(text: str) -> Quantity:
    """Read a quantity; raises `QuantityError` with the server's message.

    Spaces round the number are ignored, as the server does. Texts over 512 characters and exponents over 1000 are
    refused, so that hostile input costs nothing.
    """
    text = text.strip(_SPACES)
    match = _PATTERN.fullmatch(text)
    if not text or match is None or len(text) > _MAX_LENGTH:
        raise QuantityError(_FORMAT_MESSAGE)
    form, power = _interpret_suffix(match["suffix"])
    value = _value_of(match, form, power)
    if value == 0:
        return Quantity(0, form, "0", "0")
    if form is QuantityForm.BINARY and abs(value) < 1:
        form = QuantityForm.DECIMAL
    stored = _stored_text(text, match, value, form, power)
    rounded = _round_up(value, _MILLI)
    coarse = power - len(match["part"] or "") >= _MILLI or form is QuantityForm.BINARY
    milli = stored if coarse and rounded == value else format_quantity(rounded, form)
    return Quantity(_plain(value), form, stored, milli)


def parse_quantity(text: str) -> int | Fraction:
    """The exact value of a quantity (an int where it is whole); raises `QuantityError`."""
    return read_quantity(text).value


def quantity_bytes(text: str) -> int:
    """The value as a whole number, rounded up; bytes for memory and storage. Raises `QuantityError`."""
    value = read_quantity(text).value
    return -(-value.numerator // value.denominator)


def canonical_quantity(text: str, *, resource_list: bool = False) -> str:
    """The spelling the API server stores; raises `QuantityError`.

    In a resource list (requests, limits, hard, capacity, ...) values are first rounded up to thousandths.
    """
    quantity = read_quantity(text)
    return quantity.milli if resource_list else quantity.text


class DurationError(ValueError):
    """A text that is not a Go duration; the message is Go's."""


_DURATION_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^0-9.]*)", re.ASCII)
_DURATION_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}


def _duration_part(text: str, match: re.Match[str]) -> int:
    """Nanoseconds of one number and its unit."""
    whole, part, unit = match[1], match[2] or "", match[3]
    if not whole and not part:
        raise DurationError(f'time: invalid duration "{text}"')
    if not unit:
        raise DurationError(f'time: missing unit in duration "{text}"')
    factor = _DURATION_UNITS.get(unit)
    if factor is None:
        raise DurationError(f'time: unknown unit "{unit}" in duration "{text}"')
    scale: int = 10 ** len(part)
    return int((whole or "0") + part) * factor // scale


@lru_cache(maxsize=4096)
def _duration_nanoseconds(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    body = text[1:] if text[:1] in ("+", "-") else text
    if body == "0":
        return 0
    if not body or len(text) > _MAX_LENGTH:
        raise DurationError(f'time: invalid duration "{text}"')
    total, position = 0, 0
    while position < len(body):
        match = _DURATION_PART.match(body, position)
        if match is None or match.end() == position:
            raise DurationError(f'time: invalid duration "{text}"')
        total += _duration_part(text, match)
        position = match.end()
    if total > (_BINARY_LIMIT + 1 if sign < 0 else _BINARY_LIMIT):
        raise DurationError(f'time: invalid duration "{text}"')
    return sign * total


def parse_duration(text: str) -> int | Fraction:
    """Seconds of a Go duration such as `1h30m` or `250ms` (an int where whole); raises `DurationError`."""
    return _plain(Fraction(_duration_nanoseconds(text), 10**9))


def _decimal_text(nanoseconds: int, unit: int) -> str:
    whole, rest = divmod(nanoseconds, unit)
    digits = f"{rest:0{len(str(unit)) - 1}d}".rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)


def format_duration(seconds: int | Fraction) -> str:
    """Go's canonical spelling of a number of seconds: `5400` is `1h30m0s`, `1/4` is `250ms`; cut below a nanosecond."""
    nanoseconds = int(Fraction(seconds) * 10**9)
    sign, rest = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    if rest == 0:
        return "0s"
    for unit, name in ((10**3, "ns"), (10**6, "\u00b5s"), (10**9, "ms")):
        if rest < unit:
            return f"{sign}{_decimal_text(rest, max(unit // 1000, 1))}{name}"
    minutes, rest = divmod(rest, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    head = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{sign}{head}{_decimal_text(rest, 10**9)}s"


def canonical_duration(text: str) -> str:
    """The spelling the API server stores a Go duration in; raises `DurationError`."""
    return format_duration(Fraction(_duration_nanoseconds(text), 10**9))


def parse_percent(value: int | str) -> tuple[int, bool]:
    """An int-or-string of the scaling kind as its number and whether it is a percentage.

    Raises ValueError for text other than ASCII digits and `%`.
    """
    if isinstance(value, int):
        return value, False
    digits = value[:-1]
    if value[-1:] != "%" or not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{value!r} is neither a number nor a percentage such as '25%'")
    return int(digits), True
