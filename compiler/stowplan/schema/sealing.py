"""Seals the parts of a faulty object that are plainly right, so that the full walk only looks where something is wrong."""

from __future__ import annotations

from typing import Any

from stowplan.schema.engine import Engine, Trail, Unwell
from stowplan.schema.node import Node
from stowplan.schema.shaping import TYPE_META, copy_json

__all__ = ["Sealed", "SealedList", "is_sealed", "seal"]


_NOTHING: dict[str, Any] = {}


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


def seal(value: Any, node: Node, engine: Engine, trail: Trail, *, root: bool = False) -> Any:
    """A copy of `value` at `node` in which the largest faultless parts are sealed; the value itself is not.

    `trail` are the parts known to be at fault, which need not be tried again, with their members known to be well.
    """
    kind = type(value)
    if node.has_alternatives or (kind is not dict and kind is not list):
        return copy_json(value)
    if kind is list:
        items = node.items
        return [_sealed(item, items, engine, trail) for item in value]
    additional, apart = node.additional, root or node.embedded
    index, well = trail.get(id(value)) or (-1, _NOTHING)
    if index != node.index:  # the same map may stand at two places
        well = _NOTHING
    out: dict[str, Any] = {}
    for key, item in value.items():
        if apart and key in TYPE_META:
            out[key] = copy_json(item)
        elif key in well:
            out[key] = _as_sealed(well[key])
        else:
            out[key] = _sealed(item, node.child(key) or additional, engine, trail)
    return out


def _as_sealed(right: Any) -> Any:
    """What a check has passed, marked as such."""
    kind = type(right)
    return Sealed(right) if kind is dict else SealedList(right) if kind is list else right


def _sealed(value: Any, node: Node | None, engine: Engine, trail: Trail) -> Any:
    kind = type(value)
    if node is None or node.has_alternatives or (kind is not dict and kind is not list):
        return copy_json(value)
    if id(value) in trail:
        return seal(value, node, engine, trail)
    try:
        right = engine.function(node)(value)
    except Unwell as stop:
        return seal(value, node, engine, stop.trail)
    return _as_sealed(right)
