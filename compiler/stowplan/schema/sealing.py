"""Seals the parts of a faulty object that are plainly right, so that the full walk only looks where something is wrong."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from stowplan.schema.engine import Engine, Unwell
from stowplan.schema.node import Node
from stowplan.schema.shaping import TYPE_META, copy_json

__all__ = ["Sealed", "SealedList", "is_sealed", "seal"]


class Sealed(dict[str, Any]):
    """A map that a compiled check has passed: pruned, defaulted and judged, rules included."""

    __slots__ = ()


class SealedList(list[Any]):
    """A list that a compiled check has passed."""

    __slots__ = ()


def is_sealed(value: Any) -> bool:
    """Whether nothing can be wrong at or below `value`."""
    kind = type(value)
    return kind is Sealed or kind is SealedList


def seal(value: Any, node: Node, engine: Engine, trail: AbstractSet[int], *, root: bool = False) -> Any:
    """A copy of `value` at `node` in which the largest faultless parts are sealed; the value itself is not.

    `trail` are the identities of parts known to be at fault, which need not be tried again.
    """
    kind = type(value)
    if node.has_alternatives or (kind is not dict and kind is not list):
        return copy_json(value)
    if kind is dict:
        additional, apart = node.additional, root or node.embedded
        return {
            key: _sealed(item, None if apart and key in TYPE_META else node.child(key) or additional, engine, trail)
            for key, item in value.items()
        }
    items = node.items
    return [_sealed(item, items, engine, trail) for item in value]


def _sealed(value: Any, node: Node | None, engine: Engine, trail: AbstractSet[int]) -> Any:
    kind = type(value)
    if node is None or node.has_alternatives or (kind is not dict and kind is not list):
        return copy_json(value)
    if id(value) in trail:
        return seal(value, node, engine, trail)
    try:
        right = engine.function(node)(value)
    except Unwell as stop:
        return seal(value, node, engine, stop.trail)
    return Sealed(right) if kind is dict else SealedList(right)
