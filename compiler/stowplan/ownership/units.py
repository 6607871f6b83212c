"""Units of ownership of an object: what one writer owns as a whole, worked out once a shape."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from stowplan.ownership.extract import STRIPPED, ItemKeyError, item_element
from stowplan.ownership.fieldpath import FieldPath, field, format_path, index
from stowplan.ownership.rendered import RenderedObject
from stowplan.ownership.typefacts import TypeFacts
from stowplan.source.span import Pointer

__all__ = ["TypeLookup", "Unit", "UnitCache", "units_of"]

TypeLookup = Callable[[str, str, str], TypeFacts]
"""Structural facts by target, apiVersion and kind."""

_MAX_DEPTH = 100
"""Deeper values count as one unit."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: `pointer` leads to its value in the object; `whole` marks a list or map that is owned in one piece."""

    path: FieldPath
    pointer: Pointer
    whole: bool

    @property
    def text(self) -> str:
        """The path as people read it."""
        return format_path(self.path)


def units_of(data: Mapping[str, Any], facts: TypeFacts) -> tuple[Unit, ...]:
    """The leaf units of an object in document order, identity and status left out.

    List items have no unit of their own unless they are scalars of a set: whoever owns a field of an item owns that it
    is there. Items whose keys cannot be told apart are named by position.
    """
    units: list[Unit] = []
    for name, child in data.items():
        if name == "status" or ((field(name),) in STRIPPED and name != "metadata"):
            continue
        _walk(child, _below(facts, name), (field(name),), (name,), units)
    return tuple(unit for unit in units if unit.path not in STRIPPED)


def _below(facts: TypeFacts | None, name: str) -> TypeFacts | None:
    if facts is None or facts.map is None:
        return None
    return facts.map.declared(name) or facts.map.element


def _walk(data: Any, facts: TypeFacts | None, path: FieldPath, pointer: Pointer, units: list[Unit]) -> None:
    if isinstance(data, dict) and data:
        mapping = facts.map if facts is not None else None
        if mapping is None or mapping.atomic or len(path) > _MAX_DEPTH:
            units.append(Unit(path, pointer, True))
            return
        for name, child in data.items():
            _walk(child, mapping.declared(name) or mapping.element, (*path, field(name)), (*pointer, name), units)
    elif isinstance(data, list) and data:
        _walk_list(data, facts, path, pointer, units)
    else:
        units.append(Unit(path, pointer, False))


def _walk_list(data: list[Any], facts: TypeFacts | None, path: FieldPath, pointer: Pointer, units: list[Unit]) -> None:
    sequence = facts.list if facts is not None else None
    if sequence is None or not sequence.associative or len(path) > _MAX_DEPTH:
        units.append(Unit(path, pointer, True))
        return
    for position, child in enumerate(data):
        try:
            element = item_element(sequence, child)
        except ItemKeyError:
            element = index(position)
        _walk(child, sequence.element, (*path, element), (*pointer, position), units)


class UnitCache:
    """Units by shape, so that equal objects on many clusters are walked once."""

    __slots__ = ("_types", "_units")

    def __init__(self, types: TypeLookup) -> None:
        self._types = types
        self._units: dict[Hashable, tuple[Unit, ...]] = {}

    def units(self, candidate: RenderedObject) -> tuple[Unit, ...]:
        """The units of a rendered object."""
        if candidate.shape_key is None:
            return self._compute(candidate)
        key = (candidate.api_version, candidate.kind, candidate.shape_key)
        found = self._units.get(key)
        if found is None:
            found = self._units[key] = self._compute(candidate)
        return found

    def _compute(self, candidate: RenderedObject) -> tuple[Unit, ...]:
        facts = self._types(candidate.target, candidate.api_version, candidate.kind)
        return units_of(candidate.object, facts)
