"""Decide what a plain YAML scalar means, or that YAML 1.1, YAML 1.2 and Kubernetes' reader disagree about it.

A plain scalar is accepted when three readings give one value:

* YAML 1.1 as PyYAML implements it, plus the one-letter booleans of the specification;
* YAML 1.2, core schema;
* the reader behind `kubectl` and the API server (`sigs.k8s.io/yaml`, a descendant of go-yaml v2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import Final, TypeAlias

__all__ = ["Plain", "Refused", "readings", "resolve_plain"]

Plain: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a plain scalar is not accepted.

    `readings` holds the value in YAML 1.1, in YAML 1.2 and in Kubernetes, as text. `number` says that the readings
    agree but JSON or a 64-bit integer cannot hold the value.
    """

    readings: tuple[str, str, str]
    number: bool = False


_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE"})
_OLD_TRUE: Final = frozenset({"yes", "Yes", "YES", "on", "On", "ON", "y", "Y"})
_OLD_FALSE: Final = frozenset({"no", "No", "NO", "off", "Off", "OFF", "n", "N"})
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)").fullmatch

_MAYBE_SPECIAL: Final = frozenset("0123456789+-.~<=yYnNtTfFoO")

_INT_11: Final = re.compile(
    r"[-+]?(?:0b(?P<two>[01_]+)|0x(?P<sixteen>[0-9a-fA-F_]+)|0(?P<eight>[0-7_]+)|(?P<ten>0|[1-9][0-9_]*))"
).fullmatch
_FLOAT_11: Final = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
).fullmatch
_SEXAGESIMAL: Final = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?").fullmatch
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?"
).fullmatch

_DECIMAL_12: Final = re.compile(r"[-+]?[0-9]+").fullmatch
_OCTAL_12: Final = re.compile(r"0o[0-7]+").fullmatch
_HEX_12: Final = re.compile(r"0x[0-9a-fA-F]+").fullmatch
_FLOAT_12: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?").fullmatch

_GO_INT: Final = re.compile(
    r"([-+]?)(?:0[bB]([01]+)|0[oO]([0-7]+)|0[xX]([0-9a-fA-F]+)|0([0-7]+)|(0|[1-9][0-9]*))"
).fullmatch
_GO_BASES: Final = (2, 8, 16, 8, 10)


@dataclass(frozen=True, slots=True)
class _Special:
    """A reading that plain data has no type for: a timestamp, a merge, an unbounded number."""

    what: str


def resolve_plain(text: str) -> Plain | Refused:
    """The value of a plain scalar, or why there is none. Quoted scalars are strings and need no resolving."""
    if text and text[0] not in _MAYBE_SPECIAL:
        return text
    old, new, kubernetes = readings(text)
    if not (_same(old, new) and _same(new, kubernetes)):
        return Refused((_say(old), _say(new), _say(kubernetes)))
    if isinstance(new, _Special):
        return Refused((new.what,) * 3, number=True)
    return new


def readings(text: str) -> tuple[Plain | _Special, Plain | _Special, Plain | _Special]:
    """The three readings of a plain scalar: YAML 1.1, YAML 1.2 core, Kubernetes."""
    if text in _NULLS:
        return None, None, None
    if text in _TRUE:
        return True, True, True
    if text in _FALSE:
        return False, False, False
    if text in _OLD_TRUE:
        return True, text, True
    if text in _OLD_FALSE:
        return False, text, False
    if _NOT_FINITE(text):
        # `+.inf` is infinite everywhere; of the not-a-numbers only the unsigned form exists.
        special = _Special("a number that is not finite")
        return special, special, special
    return _read_11(text), _read_12(text), _read_kubernetes(text)


def _read_11(text: str) -> Plain | _Special:
    """YAML 1.1: underscores, leading-zero octal, binary, base sixty, timestamps."""
    if found := _INT_11(text):
        base = {"two": 2, "sixteen": 16, "eight": 8, "ten": 10}[found.lastgroup or "ten"]
        digits = found[found.lastgroup or "ten"].replace("_", "")
        return _signed(text, digits, base) if digits else _Special("a number without digits")
    if _FLOAT_11(text):
        return _float(text.replace("_", ""))
    if _SEXAGESIMAL(text):
        return _Special("a number in base 60")
    if _TIMESTAMP(text):
        return _Special("a timestamp")
    if text == "=":
        return _Special("a default value")
    return _Special("a merge") if text == "<<" else text


def _read_12(text: str) -> Plain | _Special:
    """YAML 1.2, core schema."""
    if _DECIMAL_12(text):
        return _signed(text, text.lstrip("+-"), 10)
    if _OCTAL_12(text):
        return _signed(text, text[2:], 8)
    if _HEX_12(text):
        return _signed(text, text[2:], 16)
    return _float(text) if _FLOAT_12(text) else text


def _read_kubernetes(text: str) -> Plain | _Special:
    """go-yaml v2, as the Kubernetes projects vendor it: Go's integer literals, underscores dropped, no base sixty."""
    if text == "<<":
        return _Special("a merge")
    if text[0] == ".":
        return _float(text) if _FLOAT_12(text) else text
    if text[0] not in "0123456789+-":
        return text
    plain = text.replace("_", "")
    if found := _GO_INT(plain):
        digits = found[found.lastindex or 1]
        return _signed(plain, digits, _GO_BASES[(found.lastindex or 2) - 2])
    return _float(plain) if _FLOAT_12(plain) else text


def _signed(text: str, digits: str, base: int) -> int | _Special:
    """The integer, or a special value where 64 bits do not hold it."""
    too_large = _Special("an integer beyond 64 bits")
    if len(digits.lstrip("0")) > 64:
        return too_large
    number = int(digits, base)
    number = -number if text[0] == "-" else number
    return number if -(2**63) <= number < 2**63 else too_large


def _float(text: str) -> float | _Special:
    number = float(text)
    return number if isfinite(number) else _Special("a number beyond the range of a double")


def _same(one: Plain | _Special, other: Plain | _Special) -> bool:
    return type(one) is type(other) and one == other


def _say(value: Plain | _Special) -> str:
    """A reading in words, for the note below the complaint."""
    match value:
        case _Special(what):
            return what
        case bool():
            return f"the boolean {str(value).lower()}"
        case int():
            return f"the integer {value}"
        case float():
            return f"the number {value!r}"
        case None:
            return "null"
        case _:
            return "a string"
