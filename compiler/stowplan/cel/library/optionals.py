"""Optional values."""

from __future__ import annotations

from typing import Any

from stowplan.cel.library import Signatures
from stowplan.cel.operators import fault
from stowplan.cel.values import ABSENT, Duration, OptionalValue, Timestamp, is_list, is_map

__all__ = ["FUNCTIONS"]


def _of(value: Any) -> OptionalValue:
    return OptionalValue(True, value)


def _of_non_zero(value: Any) -> OptionalValue:
    return ABSENT if _is_zero(value) else OptionalValue(True, value)


def _is_zero(value: Any) -> bool:
    if value is None or value is False:
        return True
    if isinstance(value, int | float | str | bytes) or is_list(value) or is_map(value):
        return not value
    if isinstance(value, OptionalValue):
        return not value.present
    if isinstance(value, Duration):
        return value.nanoseconds == 0
    return isinstance(value, Timestamp) and value.nanoseconds == 0


def _value(optional: OptionalValue) -> Any:
    if optional.present:
        return optional.value
    raise fault("optional.none() has no value")


FUNCTIONS: Signatures = (
    ("optional.of(A) -> optional<A>", _of),
    ("optional.none() -> optional<A>", lambda: ABSENT),
    ("optional.ofNonZeroValue(A) -> optional<A>", _of_non_zero),
    ("(optional<A>).hasValue() -> bool", lambda optional: optional.present),
    ("(optional<A>).value() -> A", _value),
    ("(optional<A>).or(optional<A>) -> optional<A>", lambda optional, other: optional if optional.present else other),
    ("(optional<A>).orValue(A) -> A", lambda optional, other: optional.value if optional.present else other),
)
