"""Reaching into values: fields, keys, positions, and what a macro runs over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stowplan.cel.limits import Meter, charge
from stowplan.cel.operators import fault, has_key, no_overload
from stowplan.cel.values import ABSENT, FALSE_KEY, TRUE_KEY, OptionalValue, _BoolKey, is_list, is_map, kind

__all__ = ["has_field", "index", "items", "optional_index", "optional_select", "pairs", "select", "without_null"]


def select(operand: Any, field: str) -> Any:
    """`operand.field`."""
    if is_map(operand):
        try:
            return operand[field]
        except KeyError:
            raise fault(f"no such key: {field}") from None
    if isinstance(operand, OptionalValue):
        return optional_select(operand, field)
    raise fault(f"a value of type {kind(operand)} has no fields (`{field}` was asked for)")


def optional_select(operand: Any, field: str) -> OptionalValue:
    """`operand.?field`."""
    if isinstance(operand, OptionalValue):
        if not operand.present:
            return ABSENT
        operand = operand.value
    if not is_map(operand):
        raise fault(f"a value of type {kind(operand)} has no fields (`{field}` was asked for)")
    return OptionalValue(True, operand[field]) if field in operand else ABSENT


def has_field(operand: Any, field: str) -> bool:
    """`has(operand.field)`."""
    if type(operand) is dict or is_map(operand):
        return field in operand
    if isinstance(operand, OptionalValue):
        return operand.present and has_field(operand.value, field)
    raise fault(f"a value of type {kind(operand)} has no fields (`{field}` was asked for)")


def without_null(operand: Any, field: str) -> Any:
    """The operand of a selection, with nothing in it where the declared field holds null: that counts as absent."""
    if isinstance(operand, OptionalValue):
        return OptionalValue(True, without_null(operand.value, field)) if operand.present else operand
    return {} if is_map(operand) and operand.get(field, ABSENT) is None else operand


def index(operand: Any, key: Any) -> Any:
    """`operand[key]`."""
    if isinstance(operand, OptionalValue):
        return optional_index(operand, key)
    found = _find(operand, key)
    if found is not ABSENT:
        return found.value
    raise fault(f"index out of bounds: {key}" if is_list(operand) else f"no such key: {key}")


def optional_index(operand: Any, key: Any) -> OptionalValue:
    """`operand[?key]`."""
    if isinstance(operand, OptionalValue):
        return _find(operand.value, key) if operand.present else ABSENT
    return _find(operand, key)


def _find(operand: Any, key: Any) -> OptionalValue:
    if is_map(operand):
        if not isinstance(key, str | int | float):
            raise no_overload("_[_]", operand, key)
        if not has_key(operand, key):
            return ABSENT
        return OptionalValue(True, operand[(TRUE_KEY if key else FALSE_KEY) if type(key) is bool else key])
    if is_list(operand) and isinstance(key, int | float) and type(key) is not bool:
        position = int(key) if isinstance(key, int) or key.is_integer() else -1
        return OptionalValue(True, operand[position]) if 0 <= position < len(operand) else ABSENT
    raise no_overload("_[_]", operand, key)


def items(meter: Meter, subject: Any) -> Iterable[Any]:
    """What a one-variable macro runs over: a list's elements or a map's keys."""
    found = type(subject)
    if found is list or found is dict or is_list(subject):
        charge(meter, len(subject))
        return subject  # type: ignore[no-any-return]
    if is_map(subject):
        charge(meter, len(subject))
        return [_key(k) for k in subject]
    raise fault(f"a value of type {kind(subject)} cannot be the range of a macro")


def pairs(meter: Meter, subject: Any) -> Iterable[tuple[Any, Any]]:
    """What a two-variable macro runs over: positions and elements, or keys and values."""
    if is_list(subject):
        charge(meter, len(subject))
        return enumerate(subject)
    if is_map(subject):
        charge(meter, len(subject))
        return [(_key(k), v) for k, v in subject.items()]
    raise fault(f"a value of type {kind(subject)} cannot be the range of a macro")


def _key(key: Any) -> Any:
    return key.value if type(key) is _BoolKey else key
