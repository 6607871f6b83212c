"""Maps and lists of which only some members are still to be looked at, and how the full walk goes through them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["HOLDERS", "Open", "OpenList", "is_list", "is_map", "open_items", "open_keys"]


class Open(dict[str, Any]):
    """A map; the members that are not `open` are pruned, defaulted and judged, rules included."""

    __slots__ = ("open",)
    open: tuple[str, ...]


class OpenList(list[Any]):
    """A list; the items that are not at one of the `open` places are pruned, defaulted and judged."""

    __slots__ = ("open",)
    open: Sequence[int]


HOLDERS = frozenset({dict, list, Open, OpenList})
"""The types of values that have members."""


def is_map(value: Any) -> bool:
    """Whether it is a map, open or plain."""
    kind = type(value)
    return kind is dict or kind is Open


def is_list(value: Any) -> bool:
    """Whether it is a list, open or plain."""
    kind = type(value)
    return kind is list or kind is OpenList


def open_keys(value: dict[str, Any]) -> list[str]:
    """The keys of the members to look at: of a plain map all."""
    return [key for key in value.open if key in value] if type(value) is Open else list(value)


def open_items(value: list[Any]) -> Iterable[tuple[int, Any]]:
    """Places and items to look at: of a plain list all."""
    return [(index, value[index]) for index in value.open] if type(value) is OpenList else enumerate(value)
