"""CEL's standard functions: size, conversions, string tests."""

from __future__ import annotations

import math
import re
from typing import Any

from stowplan.cel.library import Signatures
from stowplan.cel.library.numbers import double_text
from stowplan.cel.operators import fault
from stowplan.cel.values import INT_MAX, INT_MIN, NANOS, Timestamp, TypeValue, UInt, kind

__all__ = ["FUNCTIONS", "METERED", "text_of"]

_TRUE = frozenset({"true", "True", "TRUE", "t", "1"})
_FALSE = frozenset({"false", "False", "FALSE", "f", "0"})
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}\Z")
_DOUBLE = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z|[+-]?(inf|infinity)\Z|nan\Z", re.IGNORECASE)


def _same(value: Any) -> Any:
    return value


def _ranged(value: int) -> int:
    if INT_MIN <= value <= INT_MAX:
        return int(value)
    raise fault("integer overflow")


def _unsigned(value: int) -> UInt:
    if 0 <= value < 2**64:
        return UInt(value)
    raise fault("unsigned integer overflow")


def _int_of_double(value: float) -> int:
    # The open interval: the bounds themselves cannot be told from their neighbours outside.
    if math.isfinite(value) and INT_MIN < value < INT_MAX:
        return int(value)
    raise fault("integer overflow")


def _int_of_string(value: str) -> int:
    if _INTEGER.match(value):
        return _ranged(int(value))
    raise fault(f"cannot read {value[:50]!r} as an int")


def _uint_of_double(value: float) -> UInt:
    if math.isfinite(value) and 0 <= value < 2.0**64:
        return UInt(int(value))
    raise fault("unsigned integer overflow")


def _uint_of_string(value: str) -> UInt:
    if _INTEGER.match(value) and value[0] not in "+-":
        return _unsigned(int(value))
    raise fault(f"cannot read {value[:50]!r} as a uint")


def _double_of_string(value: str) -> float:
    if len(value) <= 400 and _DOUBLE.match(value):
        return float(value)
    raise fault(f"cannot read {value[:50]!r} as a double")


def _bool_of_string(value: str) -> bool:
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise fault(f"cannot read {value[:50]!r} as a bool")


def _string_of_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise fault("the bytes are not valid UTF-8") from None


def _bytes_of_string(value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise fault("the string is not valid Unicode") from None


def text_of(value: Any) -> str:
    """The value as `string(value)` gives it, for the kinds that have a conversion."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, bytes):
        return _string_of_bytes(value)
    return str(value)


def _seconds(value: Timestamp) -> int:
    return value.nanoseconds // NANOS


def _type(value: Any) -> TypeValue:
    return TypeValue(kind(value))


FUNCTIONS: Signatures = (
    ("size(bytes) -> int", len),
    ("size(list<A>) -> int", len),
    ("size(map<A,B>) -> int", len),
    ("size(string) -> int", len),
    ("(bytes).size() -> int", len),
    ("(list<A>).size() -> int", len),
    ("(map<A,B>).size() -> int", len),
    ("(string).size() -> int", len),
    ("(string).startsWith(string) -> bool", str.startswith),
    ("(string).endsWith(string) -> bool", str.endswith),
    ("(string).contains(string) -> bool", str.__contains__),
    ("int(int) -> int", _same),
    ("int(uint) -> int", _ranged),
    ("int(double) -> int", _int_of_double),
    ("int(string) -> int", _int_of_string),
    ("int(timestamp) -> int", _seconds),
    ("int(duration) -> int", lambda value: int(value.nanoseconds)),
    ("uint(uint) -> uint", _same),
    ("uint(int) -> uint", _unsigned),
    ("uint(double) -> uint", _uint_of_double),
    ("uint(string) -> uint", _uint_of_string),
    ("double(double) -> double", _same),
    ("double(int) -> double", float),
    ("double(uint) -> double", float),
    ("double(string) -> double", _double_of_string),
    ("string(string) -> string", _same),
    ("string(bool) -> string", text_of),
    ("string(int) -> string", text_of),
    ("string(uint) -> string", text_of),
    ("string(double) -> string", text_of),
    ("string(bytes) -> string", _string_of_bytes),
    ("string(timestamp) -> string", str),
    ("string(duration) -> string", str),
    ("bytes(bytes) -> bytes", _same),
    ("bytes(string) -> bytes", _bytes_of_string),
    ("bool(bool) -> bool", _same),
    ("bool(string) -> bool", _bool_of_string),
    ("dyn(A) -> dyn", _same),
    ("type(A) -> type", _type),
    ("duration(duration) -> duration", _same),
    ("timestamp(timestamp) -> timestamp", _same),
)
METERED: Signatures = ()
