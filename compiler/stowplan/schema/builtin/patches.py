"""What storing does to an object, as a patch that can be applied to other objects of the same pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from stowplan.source.span import Pointer

__all__ = ["Edit", "Patch", "apply_patch", "find_patch"]


class _Gone:
    """Instead of a value: the member is removed."""


_GONE: Final = _Gone()


@dataclass(frozen=True, slots=True)
class _From:
    """Instead of a string: the string at a place among those that differ from object to object."""

    place: int


@dataclass(frozen=True, slots=True)
class Edit:
    """One member that is set or removed. `varies` tells whether the value has strings of the object in it."""

    pointer: Pointer
    value: Any
    varies: bool


Patch = tuple[Edit, ...]


def _generalise(value: Any, places: Mapping[str, int]) -> tuple[Any, bool]:
    """The value with the object's own strings replaced by their places, and whether there were any."""
    if isinstance(value, str):
        place = places.get(value)
        return (value, False) if place is None else (_From(place), True)
    if isinstance(value, dict):
        members = {key: _generalise(item, places) for key, item in value.items()}
        varies = any(found for _, found in members.values())
        return {key: item for key, (item, _) in members.items()}, varies
    if isinstance(value, list):
        items = [_generalise(item, places) for item in value]
        return [item for item, _ in items], any(found for _, found in items)
    return value, False


def _collect(before: Any, after: Any, pointer: Pointer, found: list[tuple[Pointer, Any]]) -> None:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before:
            if key not in after:
                found.append(((*pointer, key), _GONE))
        for key, value in after.items():
            if key in before:
                _collect(before[key], value, (*pointer, key), found)
            else:
                found.append(((*pointer, key), value))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            _collect(old, new, (*pointer, index), found)
    elif before != after or type(before) is not type(after):
        found.append((pointer, after))


def find_patch(before: Any, after: Any, places: Mapping[str, int]) -> Patch:
    """What turns `before` into `after`; `places` numbers the strings that differ between objects of one pattern."""
    found: list[tuple[Pointer, Any]] = []
    _collect(before, after, (), found)
    edits = []
    for pointer, value in found:
        general, varies = (_GONE, False) if value is _GONE else _generalise(value, places)
        edits.append(Edit(pointer, general, varies))
    return tuple(edits)


def _fill(value: Any, strings: Sequence[str]) -> Any:
    if isinstance(value, _From):
        return strings[value.place]
    if isinstance(value, dict):
        return {key: _fill(item, strings) for key, item in value.items()}
    return [_fill(item, strings) for item in value] if isinstance(value, list) else value


def apply_patch(patch: Patch, value: dict[str, Any], strings: Sequence[str]) -> None:
    """Apply a patch in place; `strings` are the object's own, in the order of their places."""
    for edit in patch:
        holder: Any = value
        for step in edit.pointer[:-1]:
            holder = holder[step]
        last: Any = edit.pointer[-1]
        if edit.value is _GONE:
            del holder[last]
        elif edit.varies:
            holder[last] = _fill(edit.value, strings)
        else:
            holder[last] = deepcopy(edit.value) if edit.value.__class__ in (dict, list) else edit.value
