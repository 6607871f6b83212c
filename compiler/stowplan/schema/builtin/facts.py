"""Structural facts about a place in a built-in kind: what it holds and who can own what of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from stowplan.schema.builtin.pack import Element, Member, kind_type, supported_minor, type_facts
from stowplan.source.span import Pointer

__all__ = ["PlaceFacts", "field_facts"]

_TYPES: Final = {
    "s": "string",
    "b": "boolean",
    "i": "integer",
    "l": "integer",
    "f": "number",
    "y": "bytes",
    "q": "quantity",
    "p": "int-or-string",
    "t": "time",
    "u": "time",
    "*": "any",
}


@dataclass(frozen=True, slots=True)
class PlaceFacts:
    """What is known of a place.

    `type` is object, map, list, string, boolean, integer, number, bytes, quantity, int-or-string, time or any;
    `list_type` is atomic, set or map for a list (unmarked lists count as atomic); `atomic` places are owned as a
    whole; `type_name` is the type of an object or of a list's items.
    """

    type: str
    type_name: str = ""
    list_type: str = ""
    map_keys: tuple[str, ...] = ()
    merge_key: str = ""
    atomic: bool = False
    required: bool = False


def _of_element(element: Element, minor: int, *, required: bool) -> PlaceFacts:
    if element.letter != "@":
        return PlaceFacts(_TYPES[element.letter], atomic=element.letter == "*", required=required)
    facts = type_facts(element.type_name, minor)
    if facts is None:
        return PlaceFacts("any", element.type_name, atomic=True, required=required)
    return PlaceFacts("object", element.type_name, atomic=facts.atomic, required=required)


def _of_member(member: Member, minor: int) -> PlaceFacts:
    if not member.shape:
        return _of_element(member.element, minor, required=member.required)
    if member.shape == "{":
        return PlaceFacts("map", member.element.type_name, atomic=member.atomic_map, required=member.required)
    list_type = member.list_type or ("map" if member.merge_key else "atomic")
    keys = member.map_keys or ((member.merge_key,) if member.merge_key and list_type == "map" else ())
    return PlaceFacts(
        "list",
        member.element.type_name,
        list_type,
        keys,
        member.merge_key,
        list_type == "atomic",
        member.required,
    )


@lru_cache(maxsize=16384)
def field_facts(api_version: str, kind: str, pointer: Pointer, minor: int = 37) -> PlaceFacts | None:
    """The facts of the place `pointer` leads to; None where the kind or the place is unknown.

    A step into a list may be any integer or string, a step into a map any key.
    """
    minor = supported_minor(minor)
    name = kind_type(api_version, kind, minor)
    if name is None:
        return None
    current: Element | Member = Element("@", name)
    for step in pointer:
        following = _step(current, step, minor)
        if following is None:
            return None
        current = following
    if isinstance(current, Member):
        return _of_member(current, minor)
    return _of_element(current, minor, required=False)


def _step(current: Element | Member, step: str | int, minor: int) -> Element | Member | None:
    """What one step further holds."""
    if isinstance(current, Member):
        if current.shape:
            return current.nested or current.element
        current = current.element
    if current.letter == "*":
        return current
    facts = type_facts(current.type_name, minor) if current.letter == "@" else None
    if facts is None:
        return Element("*") if current.letter == "@" else None
    return facts.members.get(str(step))
