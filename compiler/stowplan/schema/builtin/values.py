"""Read and rewrite single values of built-in kinds: scalars, lists and maps, as plain functions.

Each function takes a value that is not null and returns what is stored, `ABSENT` for what is not, or raises
`Undecodable`. Classes are compared instead of asked: this is the inner loop of judging.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

from stowplan.model.quantity import QuantityError, read_quantity
from stowplan.schema.builtin import canonical
from stowplan.schema.numbers import whole_number

__all__ = [
    "ABSENT",
    "NEVER_EMPTY",
    "READERS",
    "Convert",
    "Undecodable",
    "any_json",
    "list_of",
    "map_of",
    "read_flag",
    "read_milli",
    "read_text",
    "unless_empty",
]

Convert = Callable[[Any], Any]


class Undecodable(Exception):
    """Something in the object could not be decoded strictly; where and why is not this module's concern."""


class _Absent:
    """The value of a member that is not stored."""


ABSENT: Final = _Absent()
_EXACT: Final = 2**53
_INT64: Final = (-(2**63), 2**63 - 1)


def read_text(value: Any) -> Any:
    """A string."""
    if value.__class__ is str:
        return value
    raise Undecodable


def read_flag(value: Any) -> Any:
    """A boolean."""
    if value.__class__ is bool:
        return value
    raise Undecodable


def read_int32(value: Any) -> Any:
    if value.__class__ is int and -2147483648 <= value <= 2147483647:
        return value
    raise Undecodable


def read_int64(value: Any) -> Any:
    if value.__class__ is int and _INT64[0] <= value <= _INT64[1]:
        return value
    raise Undecodable


def read_number(value: Any) -> Any:
    if isinstance(value, float):
        return whole_number(value)
    if value.__class__ is int:
        return value if -_EXACT <= value <= _EXACT else whole_number(value)
    raise Undecodable


def read_port(value: Any) -> Any:
    return value if value.__class__ is str else read_int32(value)


def quantity_text(value: Any) -> str:
    """The JSON text of a quantity: what the server parses, whether string or number."""
    if value.__class__ is str:
        return str(value)
    if value.__class__ is int or isinstance(value, float):
        return repr(value)
    raise Undecodable


def read_quantity_text(value: Any) -> Any:
    try:
        return read_quantity(value if value.__class__ is str else quantity_text(value)).text
    except QuantityError:
        raise Undecodable from None


def read_milli(value: Any) -> Any:
    """A quantity of a resource list, rounded up to thousandths."""
    try:
        return read_quantity(value if value.__class__ is str else quantity_text(value)).milli
    except QuantityError:
        raise Undecodable from None


def _scalar(read: Callable[[str], str]) -> Convert:
    def convert(value: Any) -> Any:
        try:
            return read(read_text(value))
        except canonical.ScalarError:
            raise Undecodable from None

    return convert


def _anything(value: Any) -> Any:
    return deepcopy(value) if value.__class__ in (dict, list) else value


def any_json(value: Any) -> Any:
    """Any JSON that the server reads and writes again: whole numbers lose their fraction."""
    if value.__class__ is dict:
        return {key: any_json(item) for key, item in value.items()}
    if value.__class__ is list:
        return [any_json(item) for item in value]
    return read_number(value) if isinstance(value, float) else value


READERS: Final[dict[str, tuple[Convert, Any]]] = {
    # letter: how to read a value, and what a null in a list or map becomes
    "s": (read_text, ""),
    "b": (read_flag, False),
    "i": (read_int32, 0),
    "l": (read_int64, 0),
    "f": (read_number, 0),
    "p": (read_port, 0),
    "q": (read_quantity_text, "0"),
    "y": (_scalar(canonical.canonical_base64), ""),
    "t": (_scalar(canonical.canonical_time), None),
    "u": (_scalar(canonical.canonical_micro_time), None),
    "*": (_anything, None),
}
NEVER_EMPTY: Final = frozenset("pq*")


def list_of(convert: Convert, zero: Callable[[], Any], *, keep: bool) -> Convert:
    """How to read a list; an empty one is not stored unless it is to be kept."""

    def convert_list(value: Any) -> Any:
        if value.__class__ is not list:
            raise Undecodable
        if not value and not keep:
            return ABSENT
        return [convert(item) if item is not None else zero() for item in value]

    return convert_list


def map_of(convert: Convert, zero: Callable[[], Any], *, keep: bool) -> Convert:
    """How to read a map; an empty one is not stored unless it is to be kept."""

    def convert_map(value: Any) -> Any:
        if value.__class__ is not dict:
            raise Undecodable
        if not value and not keep:
            return ABSENT
        return {key: convert(item) if item is not None else zero() for key, item in value.items()}

    return convert_map


def unless_empty(convert: Convert) -> Convert:
    """How to read a value that is not stored when empty."""
    return lambda value: convert(value) or ABSENT
