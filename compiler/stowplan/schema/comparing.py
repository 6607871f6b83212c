"""Equality of plain data as the server sees it."""

from __future__ import annotations

from typing import Any

__all__ = ["UNRELATED", "same_value"]

UNRELATED: Any = object()
"""Stands for the old value where an update's new value has no counterpart."""


def same_value(value: Any, other: Any) -> bool:
    """Deep equality that tells booleans, integers and floats apart."""
    if type(value) is not type(other):
        return False
    if type(value) is dict:
        return value.keys() == other.keys() and all(same_value(item, other[key]) for key, item in value.items())
    if type(value) is list:
        return len(value) == len(other) and all(map(same_value, value, other))
    return bool(value == other)
