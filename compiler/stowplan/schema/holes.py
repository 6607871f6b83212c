"""Trees with holes, as the schema sees them: which holes stand where, and functions that fill a part of a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from stowplan.templates.fill import FillError, part_text, plain_copy
from stowplan.templates.skeleton import Hole, Joined

__all__ = ["Fill", "filler", "holes_in", "holes_read", "plain_value"]

Fill = Callable[[Sequence[Any]], Any]
"""Takes the values of a filling, gives a part of the object."""

_FROZEN = (MappingProxyType, tuple)


def plain_value(value: Any) -> Any:
    """A hole's value as plain data: read-only mappings and tuples become dicts and lists of their own."""
    return plain_copy(value) if type(value) in _FROZEN or type(value) in (dict, list) else value


def holes_in(tree: Any) -> tuple[int, ...]:
    """The numbers of the holes in a tree, each once, in order."""
    found: set[int] = set()
    _collect(tree, found)
    return tuple(sorted(found))


def _collect(tree: Any, found: set[int]) -> None:
    kind = type(tree)
    if kind is Hole:
        found.add(tree.index)
    elif kind is Joined:
        found.update(part.index for part in tree.parts if type(part) is Hole)
    elif kind is dict:
        for key, value in tree.items():
            if type(key) is not str:
                _collect(key, found)
            _collect(value, found)
    elif kind is list:
        for item in tree:
            _collect(item, found)


def holes_read(tree: Any, paths: Sequence[tuple[str, ...]]) -> tuple[int, ...]:
    """The holes that a reader of `paths` meets; a path that ends or leaves plain mappings takes all that is below."""
    found: set[int] = set()
    for path in paths:
        node = tree
        for step in path:
            if type(node) is not dict or any(type(key) is not str for key in node):
                break
            node = node.get(step)
        _collect(node, found)
    return tuple(sorted(found))


def filler(tree: Any, *, raw: bool = False) -> Fill:
    """A function that fills `tree`; parts without holes are shared between results and may not be changed.

    If `raw`, so are the values of holes: for values that are plain data, and readers that leave them as they are.
    """
    kind = type(tree)
    if not holes_in(tree):
        return lambda _values: tree
    if kind is Hole:
        index = tree.index
        return itemgetter(index) if raw else lambda values: plain_value(values[index])
    if kind is Joined:
        return _joined(tree)
    if kind is list:
        parts = tuple(filler(item, raw=raw) for item in tree)
        return lambda values: [part(values) for part in parts]
    return _mapping(tree, raw)


def _joined(tree: Joined) -> Fill:
    parts = tree.parts
    if len(parts) == 2 and type(parts[0]) is str and type(parts[1]) is Hole:
        return _prefixed(parts[0], parts[1].index)
    pieces = tuple(("", part.index) if isinstance(part, Hole) else (part, -1) for part in parts)
    return lambda values: "".join([text if at < 0 else part_text(values[at]) for text, at in pieces])


def _prefixed(head: str, only: int) -> Fill:
    def fill(values: Sequence[Any]) -> str:
        value = values[only]
        return head + (value if type(value) is str else part_text(value))

    return fill


def _mapping(tree: dict[Any, Any], raw: bool) -> Fill:
    if any(type(key) is not str for key in tree):
        return _keyed(tuple((filler(key), filler(value, raw=raw)) for key, value in tree.items()))
    fixed = {key: None if holes_in(value) else value for key, value in tree.items()}
    open_parts = tuple((key, filler(value, raw=raw)) for key, value in tree.items() if holes_in(value))

    def fill(values: Sequence[Any]) -> dict[str, Any]:
        out = fixed.copy()
        for key, part in open_parts:
            out[key] = part(values)
        return out

    return fill


def _keyed(entries: tuple[tuple[Fill, Fill], ...]) -> Fill:
    def fill(values: Sequence[Any]) -> dict[str, Any]:
        out = {_text(key(values)): value(values) for key, value in entries}
        if len(out) != len(entries):
            raise FillError("a key stands twice in one mapping once the values are filled in")
        return out

    return fill


def _text(key: Any) -> str:
    return key if type(key) is str else part_text(key)
