"""Compares one rendered object with its live form: one plain walk that descends only where the two differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from stowplan.drift.canonical import same_value
from stowplan.drift.model import ABSENT
from stowplan.drift.serverfields import DROPPED, DROPPED_METADATA, is_server_key
from stowplan.ownership.extract import ItemKeyError, item_element
from stowplan.ownership.fieldpath import FieldPath, PathElement, PathSyntaxError, element_from_wire, field, index
from stowplan.ownership.typefacts import ListFacts, TypeFacts

__all__ = ["RawDifference", "compare_object", "owned_below", "value_at"]

RawDifference = tuple[FieldPath, Any, Any]
"""A path with the rendered and the live value; either may be `ABSENT`."""

_IDENTITY: Final = frozenset({"apiVersion", "kind"})
_MAX_DEPTH: Final = 100


def compare_object(desired: Mapping[str, Any], live: Mapping[str, Any], facts: TypeFacts) -> list[RawDifference]:
    """All differences, in order of the fields; equal values in another spelling are no difference.

    List items are paired by their keys where the type says so; another order of such items is no difference.
    """
    found: list[RawDifference] = []
    for name in _names(desired, live):
        if name in DROPPED or name in _IDENTITY:
            continue
        mine, theirs = desired.get(name, ABSENT), live.get(name, ABSENT)
        if name == "metadata":
            _compare_metadata(mine, theirs, facts, found)
        elif mine != theirs:
            _compare(mine, theirs, _child(facts, name), (field(name),), name, "", found)
    return found


def _names(desired: Mapping[str, Any], live: Mapping[str, Any]) -> list[str]:
    return [*desired, *(name for name in live if name not in desired)]


def _compare_metadata(desired: Any, live: Any, facts: TypeFacts, found: list[RawDifference]) -> None:
    if not isinstance(desired, dict) or not isinstance(live, dict):
        return
    below = _child(facts, "metadata")
    for name in _names(desired, live):
        mine, theirs = desired.get(name, ABSENT), live.get(name, ABSENT)
        if name in DROPPED_METADATA or mine == theirs:
            continue
        path = (field("metadata"), field(name))
        if name in ("labels", "annotations"):
            _compare_keys(mine, theirs, path, found)
        elif name == "finalizers":
            _compare(mine, theirs, _child(below, name), path, name, "", found)
        elif name not in ("name", "namespace"):
            _compare(mine, theirs, None, path, name, "", found)


def _compare_keys(desired: Any, live: Any, path: FieldPath, found: list[RawDifference]) -> None:
    mine = desired if isinstance(desired, dict) else {}
    theirs = live if isinstance(live, dict) else {}
    for key in _names(mine, theirs):
        wanted, there = mine.get(key, ABSENT), theirs.get(key, ABSENT)
        if wanted != there and not (wanted is ABSENT and is_server_key(key)):
            found.append(((*path, field(key)), wanted, there))


def _child(facts: TypeFacts | None, name: str) -> TypeFacts | None:
    if facts is None or facts.map is None:
        return None
    return facts.map.declared(name) or facts.map.element


def _compare(
    desired: Any, live: Any, facts: TypeFacts | None, path: FieldPath, name: str, parent: str,
    found: list[RawDifference],
) -> None:  # fmt: skip
    if isinstance(desired, dict) and isinstance(live, dict) and len(path) < _MAX_DEPTH:
        mapping = facts.map if facts is not None else None
        if mapping is None or not mapping.atomic:
            for key in _names(desired, live):
                mine, theirs = desired.get(key, ABSENT), live.get(key, ABSENT)
                if mine != theirs:
                    _compare(mine, theirs, _child(facts, key), (*path, field(key)), key, name, found)
            return
    elif isinstance(desired, list) and isinstance(live, list):
        sequence = facts.list if facts is not None else None
        if sequence is not None and sequence.associative:
            _compare_items(desired, live, sequence, path, name, found)
            return
    elif _is_nothing(desired) and _is_nothing(live):
        return
    if desired is ABSENT or live is ABSENT or not same_value(desired, live, name, parent):
        found.append((path, desired, live))


def _is_nothing(data: Any) -> bool:
    """Whether a value stands for nothing: absent, null, or an empty list or map."""
    return data is ABSENT or data is None or data == {} or data == []


def _compare_items(
    desired: list[Any], live: list[Any], facts: ListFacts, path: FieldPath, name: str, found: list[RawDifference]
) -> None:
    mine, theirs = _by_element(desired, facts), _by_element(live, facts)
    for element in [*mine, *(element for element in theirs if element not in mine)]:
        wanted, there = mine.get(element, ABSENT), theirs.get(element, ABSENT)
        if wanted == there:
            continue
        if wanted is ABSENT or there is ABSENT:
            found.append(((*path, element), wanted, there))
        else:
            _compare(wanted, there, facts.element, (*path, element), name, name, found)


def _by_element(items: list[Any], facts: ListFacts) -> dict[PathElement, Any]:
    by_element: dict[PathElement, Any] = {}
    for position, child in enumerate(items):
        try:
            element = item_element(facts, child)
        except ItemKeyError:
            element = index(position)
        if element in by_element:
            element = index(position)
        by_element[element] = child
    return by_element


def owned_below(
    fields: Any, desired: Any, facts: TypeFacts | None, report: Callable[[FieldPath], None], path: FieldPath = ()
) -> None:
    """Report every rendered unit that a fieldsV1 object names; what Git does not render is passed over.

    The walk goes down the wire form itself, since most entries name little or nothing that is rendered.
    """
    if not isinstance(fields, dict) or len(path) > _MAX_DEPTH:
        return
    if isinstance(desired, dict):
        for key, inner in fields.items():
            name = key[2:]
            if key[:2] == "f:" and name in desired and not (len(path) == 0 and name in DROPPED):
                _report_or_descend(inner, desired[name], _child(facts, name), report, (*path, field(name)))
    elif isinstance(desired, list):
        sequence = facts.list if facts is not None else None
        if sequence is None or not sequence.associative:
            return
        items = _by_element(desired, sequence)
        wire = _wire_items(fields)
        for element, child in items.items():
            if element in wire:
                _report_or_descend(wire[element], child, sequence.element, report, (*path, element))


def _wire_items(fields: Mapping[str, Any]) -> dict[PathElement, Any]:
    items = {}
    for key, inner in fields.items():
        if key[:2] in ("k:", "v:"):
            try:
                element = element_from_wire(key)
            except PathSyntaxError:
                continue
            if element is not None:
                items[element] = inner
    return items


def _report_or_descend(
    inner: Any, desired: Any, facts: TypeFacts | None, report: Callable[[FieldPath], None], path: FieldPath
) -> None:
    if not inner:
        if not isinstance(desired, dict) or not desired or (facts is not None and facts.map and facts.map.atomic):
            report(path)
        return
    owned_below(inner, desired, facts, report, path)


def value_at(data: Any, path: FieldPath, facts: TypeFacts | None) -> Any:
    """The value at a path, list items found by their keys; `ABSENT` where there is none."""
    for element in path:
        if element.kind == "f":
            if not isinstance(data, dict):
                return ABSENT
            data, facts = data.get(element.payload, ABSENT), _child(facts, element.payload)
        else:
            sequence = facts.list if facts is not None else None
            if sequence is None or not isinstance(data, list):
                return ABSENT
            data, facts = _by_element(data, sequence).get(element, ABSENT), sequence.element
    return data
