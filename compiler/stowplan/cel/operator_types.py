"""The types of operators: which operands they take and what they give."""

from __future__ import annotations

from typing import Final

from stowplan.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    UINT,
    ListType,
    MapType,
    OptionalType,
    Type,
    compatible,
    join,
)  # fmt: skip

__all__ = ["binary_type", "index_type"]

_SUM: Final = (
    (INT, INT, INT), (UINT, UINT, UINT), (DOUBLE, DOUBLE, DOUBLE), (STRING, STRING, STRING), (BYTES, BYTES, BYTES),
    (DURATION, DURATION, DURATION), (TIMESTAMP, DURATION, TIMESTAMP), (DURATION, TIMESTAMP, TIMESTAMP),
)  # fmt: skip
_DIFFERENCE: Final = (
    (INT, INT, INT), (UINT, UINT, UINT), (DOUBLE, DOUBLE, DOUBLE), (DURATION, DURATION, DURATION),
    (TIMESTAMP, DURATION, TIMESTAMP), (TIMESTAMP, TIMESTAMP, DURATION),
)  # fmt: skip
_PRODUCT: Final = ((INT, INT, INT), (UINT, UINT, UINT), (DOUBLE, DOUBLE, DOUBLE))
_ARITHMETIC: Final = {"+": _SUM, "-": _DIFFERENCE, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT[:2]}
_ORDERED: Final = frozenset({BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION})
_NUMBERS: Final = frozenset({INT, UINT, DOUBLE})


def binary_type(operator: str, left: Type, right: Type, mixed_numbers: bool) -> Type | None:
    """The result type, or None when the operator does not take these operands."""
    if operator in ("==", "!="):
        return BOOL if compatible(left, right) else None
    if operator in ("<", "<=", ">", ">="):
        return BOOL if _comparable(left, right, mixed_numbers) else None
    if operator == "in":
        return BOOL if _can_hold(right, left) else None
    if operator == "+" and (isinstance(left, ListType) or isinstance(right, ListType)):
        return _joined_lists(left, right)
    results = [
        result
        for wanted_left, wanted_right, result in _ARITHMETIC[operator]
        if left in (wanted_left, DYN) and right in (wanted_right, DYN)
    ]
    if not results:
        return None
    return results[0] if all(result == results[0] for result in results) else DYN


def _joined_lists(left: Type, right: Type) -> Type | None:
    if left == DYN or right == DYN:
        return ListType(DYN)
    joined = join(left, right)
    if isinstance(joined, ListType) and isinstance(left, ListType):
        return left if left.ordering != "atomic" and joined == left else joined
    return None


def _comparable(left: Type, right: Type, mixed_numbers: bool) -> bool:
    if left == DYN:
        return right == DYN or right in _ORDERED
    if right == DYN:
        return left in _ORDERED
    if left == right:
        return left in _ORDERED
    return mixed_numbers and left in _NUMBERS and right in _NUMBERS


def _can_hold(container: Type, item: Type) -> bool:
    if container == DYN:
        return True
    if isinstance(container, ListType):
        return compatible(container.element, item)
    return isinstance(container, MapType) and compatible(container.key, item)


def index_type(operand: Type, key: Type, mixed_numbers: bool) -> Type | None:
    """The type of `operand[key]`, or None."""
    if operand == DYN:
        return DYN
    if isinstance(operand, OptionalType):
        inner = index_type(operand.item, key, mixed_numbers)
        return None if inner is None else OptionalType(inner)
    numeric = key in (DYN, INT) or (mixed_numbers and key in _NUMBERS)
    if isinstance(operand, ListType):
        return operand.element if numeric else None
    if isinstance(operand, MapType):
        fits = compatible(operand.key, key) or (operand.key in _NUMBERS and numeric)
        return operand.value if fits else None
    return None
