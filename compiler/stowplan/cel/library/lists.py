"""Lists and sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from stowplan.cel.library import Signatures
from stowplan.cel.limits import MAX_RANGE, Meter, charge
from stowplan.cel.operators import add, compare, equal, fault, less
from stowplan.cel.problem import CelEvaluationError
from stowplan.cel.values import ABSENT, Duration, OptionalValue, UInt, is_list

__all__ = ["KUBERNETES", "KUBERNETES_METERED", "SETS_METERED", "VERSION_THREE", "VERSION_THREE_METERED", "sort_by_keys"]


def _is_sorted(meter: Meter, values: list[Any]) -> bool:
    charge(meter, len(values))
    return not any(_is_less(b, a) for a, b in pairwise(values))


def _sum(zero: Any) -> Callable[[Meter, list[Any]], Any]:
    def total(meter: Meter, values: list[Any]) -> Any:
        charge(meter, len(values))
        if not values:
            return zero
        if type(values[0]) not in (int, UInt, float, Duration):
            raise fault("sum needs numbers or durations")
        result = values[0]
        for value in values[1:]:
            result = add(meter, result, value)
        return result

    return total


def _is_less(left: Any, right: Any) -> bool:
    """Whether one is less; what cannot be ordered (NaN) is not, as the server has it here."""
    try:
        return less(left, right)
    except CelEvaluationError:
        return False


def _min(meter: Meter, values: list[Any]) -> Any:
    charge(meter, len(values))
    if not values:
        raise fault("min of an empty list")
    best = values[0]
    for value in values[1:]:
        if _is_less(value, best):
            best = value
    return best


def _max(meter: Meter, values: list[Any]) -> Any:
    charge(meter, len(values))
    if not values:
        raise fault("max of an empty list")
    best = values[0]
    for value in values[1:]:
        if _is_less(best, value):
            best = value
    return best


def _index_of(meter: Meter, values: list[Any], wanted: Any) -> int:
    charge(meter, len(values))
    return next((i for i, value in enumerate(values) if compare(value, wanted, meter) is True), -1)


def _last_index_of(meter: Meter, values: list[Any], wanted: Any) -> int:
    charge(meter, len(values))
    return next((i for i in range(len(values) - 1, -1, -1) if compare(values[i], wanted, meter) is True), -1)


def _holds(meter: Meter, values: list[Any], wanted: Any) -> bool:
    charge(meter, len(values))
    return any(compare(wanted, value, meter) is True for value in values)


def _contains(meter: Meter, values: list[Any], wanted: list[Any]) -> bool:
    return all(_holds(meter, values, value) for value in wanted)


def _intersects(meter: Meter, left: list[Any], right: list[Any]) -> bool:
    return any(_holds(meter, right, value) for value in left)


def _equivalent(meter: Meter, left: list[Any], right: list[Any]) -> bool:
    return _contains(meter, left, right) and _contains(meter, right, left)


def _distinct(meter: Meter, values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not _holds(meter, found, value):
            found.append(value)
    charge(meter, len(values))
    return found


def _order(left: Any, right: Any) -> int:
    return -1 if less(left, right) else 0 if equal(left, right) else 1


def _sort(meter: Meter, values: list[Any]) -> list[Any]:
    return sort_by_keys(meter, values, values)


def sort_by_keys(meter: Meter, values: list[Any], keys: list[Any]) -> list[Any]:
    """`values` in the order of `keys`, which are all of one comparable kind. Stable."""
    charge(meter, len(values) * max(1, len(values).bit_length()))
    if any(type(key) is not type(keys[0]) for key in keys):
        raise fault("sort needs values of one type")

    def by_key(left: int, right: int) -> int:
        return _order(keys[left], keys[right])

    order = sorted(range(len(values)), key=cmp_to_key(by_key))
    if len(keys) == 1:
        _order(keys[0], keys[0])
    return [values[i] for i in order]


def _flatten(meter: Meter, values: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise fault("flatten needs a depth of at least 0")
    charge(meter, len(values))
    if depth == 0:
        return list(values)
    flat: list[Any] = []
    for value in values:
        if is_list(value):
            flat.extend(_flatten(meter, value, min(depth - 1, 200)))
        else:
            flat.append(value)
    return flat


def _slice(meter: Meter, values: list[Any], start: int, end: int) -> list[Any]:
    if not 0 <= start <= end <= len(values):
        raise fault(f"slice from {start} to {end} of a list of {len(values)}")
    charge(meter, end - start)
    return list(values[start:end])


def _range(meter: Meter, count: int) -> list[int]:
    if count > MAX_RANGE:
        raise fault(f"lists.range is limited to {MAX_RANGE}")
    charge(meter, max(0, count))
    return list(range(count))


def _reverse(meter: Meter, values: list[Any]) -> list[Any]:
    charge(meter, len(values))
    return list(values[::-1])


def _first(values: list[Any]) -> OptionalValue:
    return OptionalValue(True, values[0]) if values else ABSENT


def _last(values: list[Any]) -> OptionalValue:
    return OptionalValue(True, values[-1]) if values else ABSENT


_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_SUMMABLE: tuple[tuple[str, Any], ...] = (("int", 0), ("uint", UInt(0)), ("double", 0.0), ("duration", Duration(0)))

KUBERNETES: Signatures = ()
KUBERNETES_METERED: Signatures = (
    *((f"(list<{name}>).sum() -> {name}", _sum(zero)) for name, zero in _SUMMABLE),
    *((f"(list<{name}>).isSorted() -> bool", _is_sorted) for name in _COMPARABLE),
    *((f"(list<{name}>).min() -> {name}", _min) for name in _COMPARABLE),
    *((f"(list<{name}>).max() -> {name}", _max) for name in _COMPARABLE),
    ("(list<A>).indexOf(A) -> int", _index_of),
    ("(list<A>).lastIndexOf(A) -> int", _last_index_of),
)
SETS_METERED: Signatures = (
    ("sets.contains(list<A>, list<A>) -> bool", _contains),
    ("sets.equivalent(list<A>, list<A>) -> bool", _equivalent),
    ("sets.intersects(list<A>, list<A>) -> bool", _intersects),
)
VERSION_THREE: Signatures = (
    ("(list<A>).first() -> optional<A>", _first),
    ("(list<A>).last() -> optional<A>", _last),
)
VERSION_THREE_METERED: Signatures = (
    ("(list<A>).distinct() -> list<A>", _distinct),
    ("(list<list<A>>).flatten() -> list<A>", _flatten),
    ("(list<dyn>).flatten(int) -> list<dyn>", _flatten),
    ("(list<A>).slice(int, int) -> list<A>", _slice),
    ("(list<A>).reverse() -> list<A>", _reverse),
    *((f"(list<{name}>).sort() -> list<{name}>", _sort) for name in _COMPARABLE),
    ("lists.range(int) -> list<int>", _range),
)
