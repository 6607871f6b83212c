"""The math extension."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from stowplan.cel.library import Signatures
from stowplan.cel.limits import Meter, charge
from stowplan.cel.operators import fail, fault, less
from stowplan.cel.values import INT_MAX, INT_MIN, UInt, kind

__all__ = ["FUNCTIONS", "METERED"]

_WORD = 2**64


def _number(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise fault(f"expected a number, found {kind(value)}")


def _extreme(better: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def pick(*values: Any) -> Any:
        best = _number(values[0])
        for value in values[1:]:
            if better(_number(value), best):
                best = value
        return best

    return pick


def _extreme_of_list(better: Callable[[Any, Any], bool]) -> Callable[[Meter, list[Any]], Any]:
    pick = _extreme(better)

    def of_list(meter: Meter, values: list[Any]) -> Any:
        charge(meter, len(values))
        return pick(*values) if values else fail("expected at least one number")

    return of_list


def _greater(left: Any, right: Any) -> bool:
    return less(right, left)


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: math.copysign(float(function(value)), value) if math.isfinite(value) else value


def _round(value: float) -> int:
    return math.floor(abs(value) + 0.5) if abs(value) < 2**52 else int(abs(value))


def _abs_int(value: int) -> int:
    return abs(value) if value != INT_MIN else fail("integer overflow")


def _sign(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return value
    return type(value)((value > 0) - (value < 0))


def _signed(value: int) -> int:
    value %= _WORD
    return value - _WORD if value > INT_MAX else value


def _shift_left(value: int, count: int) -> int:
    return _signed(value << count) if _count(count) < 64 else 0


def _shift_right(value: int, count: int) -> int:
    return _signed((value % _WORD) >> count) if _count(count) < 64 else 0


def _unsigned_left(value: int, count: int) -> UInt:
    return UInt((int(value) << count) % _WORD) if _count(count) < 64 else UInt(0)


def _unsigned_right(value: int, count: int) -> UInt:
    return UInt(int(value) >> count) if _count(count) < 64 else UInt(0)


def _count(count: int) -> int:
    return count if count >= 0 else fail("a shift by a negative count")


_MANY = range(2, 17)


def _bits(name: str, function: Callable[[int, int], int]) -> tuple[tuple[str, Callable[..., Any]], ...]:
    return (
        (f"math.{name}(int, int) -> int", function),
        (f"math.{name}(uint, uint) -> uint", lambda left, right: UInt(function(int(left), int(right)))),
    )


def _extremes(name: str, better: Callable[[Any, Any], bool]) -> tuple[tuple[str, Callable[..., Any]], ...]:
    pick = _extreme(better)
    singles = tuple((f"math.{name}({kind_}) -> {kind_}", pick) for kind_ in ("int", "uint", "double"))
    pairs = tuple((f"math.{name}({kind_}, {kind_}) -> {kind_}", pick) for kind_ in ("int", "uint", "double"))
    return (*singles, *pairs, *((f"math.{name}({', '.join(['dyn'] * count)}) -> dyn", pick) for count in _MANY))


FUNCTIONS: Signatures = (
    *_extremes("greatest", _greater),
    *_extremes("least", less),
    ("math.ceil(double) -> double", _whole(math.ceil)),
    ("math.floor(double) -> double", _whole(math.floor)),
    ("math.round(double) -> double", _whole(_round)),
    ("math.trunc(double) -> double", _whole(math.trunc)),
    ("math.sqrt(double) -> double", lambda value: math.sqrt(value) if value >= 0 else math.nan),
    ("math.sqrt(int) -> double", lambda value: math.sqrt(value) if value >= 0 else math.nan),
    ("math.sqrt(uint) -> double", math.sqrt),
    ("math.abs(int) -> int", _abs_int),
    ("math.abs(uint) -> uint", lambda value: value),
    ("math.abs(double) -> double", abs),
    ("math.sign(int) -> int", _sign),
    ("math.sign(uint) -> uint", _sign),
    ("math.sign(double) -> double", _sign),
    ("math.isNaN(double) -> bool", math.isnan),
    ("math.isInf(double) -> bool", math.isinf),
    ("math.isFinite(double) -> bool", math.isfinite),
    *_bits("bitAnd", lambda left, right: left & right),
    *_bits("bitOr", lambda left, right: left | right),
    *_bits("bitXor", lambda left, right: left ^ right),
    ("math.bitNot(int) -> int", lambda value: ~value),
    ("math.bitNot(uint) -> uint", lambda value: UInt(~int(value) % _WORD)),
    ("math.bitShiftLeft(int, int) -> int", _shift_left),
    ("math.bitShiftLeft(uint, int) -> uint", _unsigned_left),
    ("math.bitShiftRight(int, int) -> int", _shift_right),
    ("math.bitShiftRight(uint, int) -> uint", _unsigned_right),
)
METERED: Signatures = (
    ("math.greatest(list<dyn>) -> dyn", _extreme_of_list(_greater)),
    ("math.least(list<dyn>) -> dyn", _extreme_of_list(less)),
)
