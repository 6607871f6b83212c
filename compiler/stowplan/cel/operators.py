"""Operators on plain values: equality, order, arithmetic, membership. No coercion."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from typing import Any, NoReturn

from stowplan.cel.limits import Meter, charge, fill
from stowplan.cel.problem import CelFault
from stowplan.cel.values import (
    FALSE_KEY,
    INT_MAX,
    INT_MIN,
    TRUE_KEY,
    BoolMap,
    Duration,
    KeyedList,
    OptionalValue,
    SetList,
    Timestamp,
    UInt,
    as_timestamp,
    is_list,
    is_map,
    kind,
)  # fmt: skip

__all__ = [
    "add", "as_bool", "as_string", "compare", "divide", "equal", "fail", "fault", "greater", "greater_equal", "has_key",
    "less", "less_equal", "member", "metered_equal", "metered_member", "metered_not_equal", "modulo", "multiply", "negate", "no_overload",
    "not_equal", "subtract",
]  # fmt: skip

_PLAIN = frozenset({str, int, float, bool, type(None), bytes})
_FREE_TEXT = 200
_ORDERED = frozenset({int, UInt, float, str, bytes, bool, Timestamp, Duration})


def fail(message: str) -> NoReturn:
    """Raise an evaluation error; its place is filled in further up."""
    raise CelFault(message)


def fault(message: str) -> CelFault:
    """An evaluation error to raise; its place is filled in further up."""
    return CelFault(message)


def no_overload(name: str, *arguments: Any) -> CelFault:
    """The error for operands of the wrong kinds; `name` is a function, or an operator such as `_+_`."""
    given = f"({', '.join(kind(a) for a in arguments)})"
    return fault(f"no such overload: {name}{'' if name[0].isalpha() else ' for '}{given}")


def as_bool(value: Any) -> bool:
    """The value, which must be a boolean."""
    if value is True or value is False:
        return value
    raise fault(f"expected a bool, found {kind(value)}")


def as_string(value: Any) -> str:
    """The value, which must be a string."""
    if isinstance(value, str):
        return value
    raise fault(f"expected a string, found {kind(value)}")


def equal(left: Any, right: Any, meter: Meter | None = None) -> bool:
    """`==`: numbers by value across kinds, lists and maps by element, everything else only within its kind.

    Elements are paid for, without a meter out of a budget of their own: values that share parts can be far larger
    than the memory they take.
    """
    found = compare(left, right, meter)
    if found is None:
        raise no_overload("_==_", left, right)
    return found


def compare(left: Any, right: Any, meter: Meter | None = None) -> bool | None:
    """Whether two values are equal; None where the left one cannot be compared with the other.

    That is an error for `==`. Unequal is what it counts as in `!=` and `in`, equal in lists and maps.
    """
    kind_left = type(left)
    if kind_left in _PLAIN:
        return bool(left == right) if kind_left is type(right) else _equal_scalars(left, right)
    if type(right) in _PLAIN:
        return None if hasattr(kind_left, "cel_type") and right is not None else _equal_scalars(left, right)
    return _equal_values(fill() if meter is None else meter, left, right)


def _equal_scalars(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        left, right = _mixed(left, right)
        return bool(left == right)
    if isinstance(left, datetime.datetime) or isinstance(right, datetime.datetime):
        return bool(_moment(left) == _moment(right))
    return bool(left == right) if type(left) is type(right) or isinstance(left, str) else False


def _equal_values(meter: Meter, left: Any, right: Any) -> bool | None:
    if hasattr(type(left), "cel_type"):
        return bool(left == right) if type(left) is type(right) and not getattr(right, "computed", False) else None
    if is_list(left):
        return is_list(right) and _equal_lists(meter, left, right)
    if is_map(left):
        return is_map(right) and _equal_maps(meter, left, right)
    if isinstance(left, OptionalValue) and isinstance(right, OptionalValue):
        return (
            compare(left.value, right.value, meter) if left.present and right.present else left.present == right.present
        )
    return _equal_scalars(left, right)


def _equal_maps(meter: Meter, left: Any, right: Any) -> bool:
    if len(left) != len(right):
        return False
    charge(meter, 1 + len(left))
    for key, value in left.items():
        if key not in right:
            return False
        other, found = right[key], type(value)
        if not (value == other if found in _PLAIN and found is type(other) else _is_equal(value, other, meter)):
            return False
    return True


def _is_equal(left: Any, right: Any, meter: Meter) -> bool:
    """Whether two items of lists or maps are not known to differ."""
    return compare(left, right, meter) is not False


def _equal_lists(meter: Meter, left: Any, right: Any) -> bool:
    if len(left) != len(right):
        return False
    charge(meter, 1 + len(left))
    if isinstance(left, SetList):
        charge(meter, len(left) * len(right))
        return all(_contains(right, item, meter) for item in left) and all(_contains(left, i, meter) for i in right)
    keys = left.keys if isinstance(left, KeyedList) else None
    if keys is None:
        return _equal_items(meter, left, right)
    others = {_key_of(item, keys): item for item in right}
    return all(_key_of(item, keys) in others and _is_equal(item, others[_key_of(item, keys)], meter) for item in left)


def _equal_items(meter: Meter, left: Any, right: Any) -> bool:
    for value, other in zip(left, right, strict=True):
        found = type(value)
        if not (value == other if found in _PLAIN and found is type(other) else _is_equal(value, other, meter)):
            return False
    return True


def _key_of(item: Any, keys: tuple[str, ...]) -> tuple[Any, ...]:
    values = (item.get(k) if is_map(item) else None for k in keys)
    return tuple((kind(v), v if isinstance(v, str | int | float | None) else repr(v)) for v in values)


def _moment(value: Any) -> Any:
    return as_timestamp(value) if isinstance(value, datetime.datetime) else value


def not_equal(left: Any, right: Any) -> bool:
    """`!=`."""
    return compare(left, right) is not True


def metered_equal(meter: Meter, left: Any, right: Any) -> bool:
    """`==` where the operands are paid for."""
    if type(left) is str and len(left) > _FREE_TEXT:
        charge(meter, len(left) // 10)
    return equal(left, right, meter)


def metered_not_equal(meter: Meter, left: Any, right: Any) -> bool:
    """`!=` where the operands are paid for."""
    if type(left) is str and len(left) > _FREE_TEXT:
        charge(meter, len(left) // 10)
    return compare(left, right, meter) is not True


def _mixed(left: Any, right: Any) -> tuple[Any, Any]:
    """Integers are exact among themselves; beside a double they are compared as doubles, as the server does."""
    if isinstance(left, float):
        return left, float(right)
    return (float(left), right) if isinstance(right, float) else (left, right)


def _ordered(left: Any, right: Any) -> tuple[Any, Any]:
    if type(left) is type(right) and type(left) in _ORDERED:
        return _numbered(left, right) if type(left) is float else (left, right)
    if not isinstance(left, bool) and not isinstance(right, bool):
        if isinstance(left, int | float) and isinstance(right, int | float):
            return _numbered(*_mixed(left, right))
        left, right = _moment(left), _moment(right)
        if isinstance(left, Timestamp) and isinstance(right, Timestamp):
            return left, right
        if isinstance(left, str) and isinstance(right, str):
            return left, right
    raise no_overload("_<_", left, right)


def _numbered(left: Any, right: Any) -> tuple[Any, Any]:
    if left != left or right != right:
        raise fault("NaN values cannot be ordered")
    return left, right


def less(left: Any, right: Any) -> bool:
    """`<`."""
    if type(left) is int and type(right) is int:
        return left < right
    left, right = _ordered(left, right)
    return bool(left < right)


def less_equal(left: Any, right: Any) -> bool:
    """`<=`."""
    if type(left) is int and type(right) is int:
        return left <= right
    left, right = _ordered(left, right)
    return bool(left <= right)


def greater(left: Any, right: Any) -> bool:
    """`>`."""
    if type(left) is int and type(right) is int:
        return left > right
    left, right = _ordered(left, right)
    return bool(right < left)


def greater_equal(left: Any, right: Any) -> bool:
    """`>=`."""
    if type(left) is int and type(right) is int:
        return left >= right
    left, right = _ordered(left, right)
    return bool(right <= left)


def _integer(value: int, like: type) -> int:
    if like is UInt:
        if 0 <= value < 2**64:
            return UInt(value)
        raise fault("unsigned integer overflow")
    if INT_MIN <= value <= INT_MAX:
        return value
    raise fault("integer overflow")


def add(meter: Meter, left: Any, right: Any) -> Any:
    """`+`: numbers, strings, bytes, lists, times."""
    found = type(left)
    if found is type(right):
        if found is int or found is UInt:
            return _integer(int(left) + int(right), found)
        if found is float:
            return left + right
        if found is str or found is bytes:
            charge(meter, (len(left) + len(right)) // 10)
            return left + right
        if found is list:
            charge(meter, len(left) + len(right))
            return left + right
        if found is Duration:
            return Duration(left.nanoseconds + right.nanoseconds)
    left, right = _moment(left), _moment(right)
    if isinstance(left, Timestamp) and isinstance(right, Duration):
        return Timestamp(left.nanoseconds + right.nanoseconds)
    if isinstance(left, Duration) and isinstance(right, Timestamp):
        return Timestamp(left.nanoseconds + right.nanoseconds)
    if is_list(left) and is_list(right):
        charge(meter, len(left) + len(right))
        return _add_lists(meter, left, right)
    raise no_overload("_+_", left, right)


def _add_lists(meter: Meter, left: Any, right: Any) -> list[Any]:
    if isinstance(left, SetList):
        charge(meter, len(left) * len(right))
        return SetList([*left, *(item for item in right if not _contains(left, item, meter))])
    if not isinstance(left, KeyedList):
        return [*left, *right]
    replaced = {_key_of(item, left.keys): item for item in right}
    merged = [replaced.pop(_key_of(item, left.keys), item) for item in left]
    return KeyedList([*merged, *replaced.values()], left.keys)


def subtract(left: Any, right: Any) -> Any:
    """`-` between two operands."""
    found = type(left)
    if found is type(right):
        if found is int or found is UInt:
            return _integer(int(left) - int(right), found)
        if found is float:
            return left - right
    left, right = _moment(left), _moment(right)
    if isinstance(right, Duration):
        if isinstance(left, Duration):
            return Duration(left.nanoseconds - right.nanoseconds)
        if isinstance(left, Timestamp):
            return Timestamp(left.nanoseconds - right.nanoseconds)
    if isinstance(left, Timestamp) and isinstance(right, Timestamp):
        return Duration(left.nanoseconds - right.nanoseconds)
    raise no_overload("_-_", left, right)


def multiply(left: Any, right: Any) -> Any:
    """`*`."""
    found = type(left)
    if found is type(right):
        if found is int or found is UInt:
            return _integer(int(left) * int(right), found)
        if found is float:
            return left * right
    raise no_overload("_*_", left, right)


def divide(left: Any, right: Any) -> Any:
    """`/`: integers truncate towards zero, doubles follow IEEE 754."""
    found = type(left)
    if found is type(right):
        if found is int or found is UInt:
            if right == 0:
                raise fault("division by zero")
            quotient = abs(int(left)) // abs(int(right))
            return _integer(quotient if (left < 0) == (right < 0) else -quotient, found)
        if found is float:
            return _divide_doubles(left, right)
    raise no_overload("_/_", left, right)


def _divide_doubles(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def modulo(left: Any, right: Any) -> Any:
    """`%`: the sign follows the left operand."""
    found = type(left)
    if found is type(right) and (found is int or found is UInt):
        if right == 0:
            raise fault("modulus by zero")
        rest = abs(int(left)) % abs(int(right))
        return _integer(-rest if left < 0 else rest, found)
    raise no_overload("_%_", left, right)


def negate(value: Any) -> Any:
    """`-` before an operand."""
    if type(value) is int:
        return _integer(-value, int)
    if type(value) is float:
        return -value
    raise no_overload("-_", value)


def _contains(items: Iterable[Any], value: Any, meter: Meter | None = None) -> bool:
    return any(compare(value, item, meter) is True for item in items)


def member(value: Any, container: Any) -> bool:
    """`in`: an element of a list or a key of a map."""
    return metered_member(None, value, container)


def metered_member(meter: Meter | None, value: Any, container: Any) -> bool:
    """`in`, where a list is paid for when there is a meter."""
    found = type(container)
    if found is dict:
        return value in container if type(value) is str else has_key(container, value)
    if found is list or is_list(container):
        if meter is not None:
            charge(meter, len(container))
        return _contains(container, value, meter)
    if is_map(container):
        return has_key(container, value)
    raise no_overload("@in", value, container)


def has_key(container: Any, key: Any) -> bool:
    """Whether a map has a key; booleans are keys of their own."""
    found = type(key)
    if found is bool:
        return isinstance(container, BoolMap) and (TRUE_KEY if key else FALSE_KEY) in container
    return isinstance(key, str | int | float) and key in container
