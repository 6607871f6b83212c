"""Compiled checks of maps and lists. A fault does not stop them: what is well is kept, and what is not is noted."""

from __future__ import annotations

from typing import Any, NamedTuple

from stowplan.schema.leaves import UNWELL, Check, Trail, Unwell, all_different, copy_plain
from stowplan.schema.node import Node
from stowplan.schema.rules import CompiledRule

__all__ = ["UNBOUNDED", "ObjectParts", "array_check", "object_check"]

UNBOUNDED = 1 << 62


class ObjectParts(NamedTuple):
    """An object node taken apart.

    `table` has the checks of declared members, `other` that of all others (None if there may be none). A null is kept
    (True), left out (False), or for the full walk (None), as `nulls` says of declared members and `stray` of others.
    `defaults` are names, ready values, and whether each use needs a copy of its own.
    """

    table: dict[str, Check | type]
    other: Check | type | None
    nulls: dict[str, bool | None]
    stray: bool | None
    defaults: tuple[tuple[str, Any, bool], ...]
    required: frozenset[str]
    members: tuple[int, int]
    rules: tuple[CompiledRule, ...]
    number: int


def object_check(parts: ObjectParts) -> Check:
    """The check of an object node."""
    table, other, nulls, stray, defaults, required, (low, high), rules, number = parts
    get: Any = table.get
    bounded = (low, high) != (0, UNBOUNDED)

    def check(value: Any) -> Any:
        if type(value) is not dict:
            raise Unwell
        out = value.copy()
        bad: list[str] | None = None
        trail: Trail | None = None
        for key, item in value.items():
            child = get(key, other)
            if child is type(item):
                continue
            if item is None:
                keep = nulls.get(key, stray)
                if keep is not None:
                    if not keep:
                        del out[key]
                    continue
            elif child is not None and type(child) is not type:
                try:
                    out[key] = child(item)
                    continue
                except Unwell as stop:
                    trail = _joined(trail, stop)
            del out[key]
            if bad is None:
                bad = [key]
            else:
                bad.append(key)
        if bad is not None:
            raise _faulty(trail, value, (number, out, bad))
        for key, default, fresh in defaults:
            if key not in out:
                if default is UNWELL:
                    raise _faulty(None, value, (number, out, ()))
                out[key] = copy_plain(default) if fresh else default
        if (required and not out.keys() >= required) or (bounded and not low <= len(out) <= high):
            raise _faulty(None, value, (number, out, ()))
        for rule in rules:
            if not rule.holds(out):
                raise _faulty(None, value, (number, out, ()))
        return out

    return check


def array_check(node: Node, item: Check | type, rules: tuple[CompiledRule, ...]) -> Check:
    """The check of a list node with its items' check."""
    low, high = node.min_items or 0, node.max_items if node.max_items is not None else UNBOUNDED
    distinct = all_different(node.list_type, node.map_keys)
    number = node.index
    items = _items_of_type(item, number) if isinstance(item, type) else _items(item, number)

    def check(value: Any) -> Any:
        if type(value) is not list:
            raise Unwell
        out = items(value)
        if not low <= len(out) <= high or (distinct is not None and len(out) > 1 and not distinct(out)):
            raise _faulty(None, value, (number, out, ()))
        for rule in rules:
            if not rule.holds(out):
                raise _faulty(None, value, (number, out, ()))
        return out

    return check


def _items(item: Check, number: int) -> Check:
    def check(value: list[Any]) -> list[Any]:
        out: list[Any] = []
        bad: list[int] = []
        trail: Trail | None = None
        for one in value:
            try:
                out.append(item(one))
            except Unwell as stop:
                bad.append(len(out))
                out.append(one)
                trail = _joined(trail, stop)
        if bad:
            raise _faulty(trail, value, (number, out, bad))
        return out

    return check


def _items_of_type(wanted: type, number: int) -> Check:
    only = {wanted}

    def check(value: list[Any]) -> list[Any]:
        if value and set(map(type, value)) != only:
            bad = [index for index, one in enumerate(value) if type(one) is not wanted]
            raise _faulty(None, value, (number, value[:], bad))
        return value[:]

    return check


def _joined(trail: Trail | None, stop: Unwell) -> Trail | None:
    """What was noted so far, and below."""
    if trail is None or stop.trail is None:
        return trail or stop.trail
    trail.update(stop.trail)
    return trail


def _faulty(trail: Trail | None, value: Any, found: tuple[int, Any, Any]) -> Unwell:
    """The refusal of a map or list, with what was found of it."""
    trail = {} if trail is None else trail
    trail[id(value)] = found
    refusal = Unwell()
    refusal.trail = trail
    return refusal
