"""Copies of faulty objects that know which of their parts were found faulty: the full walk looks at no others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from stowplan.schema.engine import Engine, Trail, Unwell
from stowplan.schema.node import Node
from stowplan.schema.shaping import TYPE_META, copy_json
from stowplan.schema.unsettled import HOLDERS, Open, OpenList

__all__ = ["opened"]

_NO_TRAIL: Final[Trail] = {}
_UNSEEN: Final[tuple[int, Any, tuple[()]]] = (-1, None, ())


def opened(value: Any, node: Node | None, engine: Engine, trail: Trail, *, root: bool = False) -> Any:
    """A copy of a faulty `value` at `node`; what a compiled check has passed is pruned and defaulted in it already.

    `trail` is what the check noted. Below alternatives all is open, since how much matches there counts.
    """
    kind = type(value)
    if kind not in HOLDERS or node is None or node.has_alternatives:
        return copy_json(value)
    apart = root or node.embedded
    number, well, bad = trail.get(id(value), _UNSEEN)
    if number != node.index:  # not looked into, or the same value stands at two places
        return _tried_map(value, node, engine, apart) if kind is dict else _tried(value, node, engine)
    if kind is list:
        items = OpenList(well)
        items.open = bad
        for index in bad:
            items[index] = opened(value[index], node.items, engine, trail)
        return items
    return _map(value, node, engine, trail, well, bad, apart)


def _map(
    value: dict[str, Any],
    node: Node,
    engine: Engine,
    trail: Trail,
    well: dict[str, Any],
    bad: Sequence[str],
    apart: bool,
) -> Open:
    out = Open(value)
    out.update(well)
    out.open = tuple(bad)
    if len(out) != len(well) + len(bad):  # nulls were left out
        for key in [key for key in value if key not in well and key not in bad]:
            del out[key]
    additional = node.additional
    for key in bad:
        child = None if apart and key in TYPE_META else node.child(key) or additional
        out[key] = opened(value[key], child, engine, trail)
    return out


def _tried_map(value: dict[str, Any], node: Node, engine: Engine, apart: bool) -> Open:
    out = Open()
    bad: list[str] = []
    additional = node.additional
    for key, item in value.items():
        child = None if apart and key in TYPE_META else node.child(key) or additional
        is_well, out[key] = _attempt(item, child, engine)
        if not is_well:
            bad.append(key)
    out.open = tuple(bad)
    return out


def _tried(value: list[Any], node: Node, engine: Engine) -> OpenList:
    attempts = [_attempt(item, node.items, engine) for item in value]
    out = OpenList([made for _, made in attempts])
    out.open = [index for index, (is_well, _) in enumerate(attempts) if not is_well]
    return out


def _attempt(value: Any, node: Node | None, engine: Engine) -> tuple[bool, Any]:
    """Whether a part is well, and its copy."""
    if type(value) not in HOLDERS or node is None or node.has_alternatives:
        return False, copy_json(value)
    try:
        return True, engine.function(node)(value)
    except Unwell as stop:
        return False, opened(value, node, engine, stop.trail or _NO_TRAIL)
