"""Equality of plain data as the server sees it."""

from __future__ import annotations

from typing import Any

__all__ = ["UNRELATED", "same_value"]

UNRELATED: Any = object()
"""Stands for the old value where an update's new value has no counterpart."""


def same_value(value: Any, other: Any) -> bool:
    """Deep equality that tells booleans, integers and floats apart."""
    if isinstance(value, dict):
        return (
            isinstance(other, dict)
            and value.keys() == other.keys()
            and all(same_value(item, other[key]) for key, item in value.items())
        )
    if isinstance(value, list):
        return isinstance(other, list) and len(value) == len(other) and all(map(same_value, value, other))
    return type(value) is type(other) and bool(value == other)
