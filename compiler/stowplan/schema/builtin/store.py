"""Bring values of a built-in type into the form the server stores: decoded, defaulted, canonical.

One plan is compiled for each type and minor, lazily, and shared by all kinds that use it. A plan copies the members
it knows, drops empty values that Go does not write, spells scalars canonically and fills in the table's defaults on
the way up. It checks types as it goes and raises `Undecodable` at the first thing the server could not decode;
`stowplan.schema.builtin.decode` then finds out what exactly is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any, Final

from stowplan.schema.builtin import derive
from stowplan.schema.builtin.pack import Element, Member, type_facts
from stowplan.schema.builtin.table import compile_condition, is_gated, type_entry
from stowplan.schema.builtin.values import (
    ABSENT,
    NEVER_EMPTY,
    READERS,
    Convert,
    Undecodable,
    any_json,
    list_of,
    map_of,
    read_flag,
    read_milli,
    read_text,
    unless_empty,
)

__all__ = ["Rule", "TypePlan", "compile_rules", "type_plan"]

Rule = Callable[[dict[str, Any]], None]


def _schema_or(name: str, minor: int, gates: bool) -> Convert | None:
    """The members of a CustomResourceDefinition's schema that are a schema or something else.

    The server reads these leniently: unknown members below them vanish even when it is asked to be strict.
    """
    if not name.startswith("apiextensions.v1.JSONSchemaPropsOr"):
        return None
    other = name.removeprefix("apiextensions.v1.JSONSchemaPropsOr")
    schema = type_plan("apiextensions.v1.JSONSchemaProps", minor, gates=gates, lenient=True)

    def convert(value: Any) -> Any:
        if value.__class__ is dict:
            return schema.convert(value)
        if other == "Bool":
            return read_flag(value)
        if value.__class__ is list:  # anything else is taken for nothing
            return [schema.convert(item) if other == "Array" else read_text(item) for item in value]
        return None if other == "StringArray" else ABSENT

    return convert


def _element(
    element: Element, minor: int, gates: bool, *, milli: bool, lenient: bool
) -> tuple[Convert, Callable[[], Any]]:
    """How to read one element, and what a null becomes."""
    if element.letter != "@":
        convert, zero = READERS[element.letter]
        return (read_milli if milli else convert), lambda: zero
    special = _schema_or(element.type_name, minor, gates)
    if special is not None:
        return special, lambda: None
    if type_facts(element.type_name, minor) is None:
        return any_json, lambda: None
    plan = type_plan(element.type_name, minor, gates=gates, lenient=lenient)
    return plan.convert, lambda: plan.convert({})


def _member(member: Member, minor: int, gates: bool, *, kept: bool, milli: bool, lenient: bool) -> Convert:
    if member.nested is not None:
        inner = _member(member.nested, minor, gates, kept=True, milli=milli, lenient=lenient)
        convert, zero = inner, lambda: None
    else:
        convert, zero = _element(member.element, minor, gates, milli=milli, lenient=lenient)
    if member.shape:
        return (list_of if member.shape == "[" else map_of)(convert, zero, keep=kept)
    if member.element.letter in "tu":
        return unless_empty(convert)
    if kept or member.required or member.element.letter in NEVER_EMPTY or member.element.letter == "@":
        return convert
    return unless_empty(convert)


def _fill(name: str, value: Any) -> Rule:
    """A rule that sets a member that is absent."""
    if value.__class__ in (dict, list):

        def fill_copy(target: dict[str, Any]) -> None:
            if name not in target:
                target[name] = deepcopy(value)

        return fill_copy

    def fill(target: dict[str, Any]) -> None:
        if name not in target:
            target[name] = value

    return fill


def _fill_when(name: str, value: Any, condition: list[Any], convert: Convert = deepcopy) -> Rule:
    holds = compile_condition(condition)

    def fill(target: dict[str, Any]) -> None:
        if name not in target and holds(target):
            target[name] = convert(value)

    return fill


def compile_rules(entry: Mapping[str, Any], members: Mapping[str, Convert] | None = None) -> list[Rule]:
    """The rules of an entry of the table, in order; `members` says how conditional values are stored."""
    known = members or {}

    def conditional(part: str) -> list[Rule]:
        return [_fill_when(name, value, when, known.get(name, deepcopy)) for name, value, when in entry.get(part, ())]

    rules = conditional("early")
    rules += [_fill(name, value) for name, value in entry.get("constant", {}).items()]
    rules += conditional("conditional")
    rules += [derive.FUNCTIONS[name] for name in entry.get("derived", ())]
    return rules


def _vanishing(convert: Convert) -> Convert:
    """A member that must be decodable, but is not stored."""

    def check(value: Any) -> Any:
        convert(value)
        return ABSENT

    return check


_REQUIRED_ZEROS: Final = {"s": "", "b": False, "i": 0, "l": 0, "f": 0, "p": 0, "q": "0"}
_POINTER_TYPES: Final = frozenset(
    {
        "core.v1.LocalObjectReference",
        "core.v1.NodeSelector",
        "core.v1.SecretReference",
        "meta.v1.LabelSelector",
        "networking.v1.ParentReference",
    }
)


def _is_struct(member: Member) -> bool:
    """Whether a required member is there even if nobody wrote it."""
    return (
        member.required
        and not member.shape
        and member.element.letter == "@"
        and member.element.type_name not in _POINTER_TYPES
    )


class TypePlan:
    """How values of one type are stored in one minor."""

    __slots__ = ("_constants", "_fleeting", "_gates", "_lenient", "_members", "_minor", "_name", "_rules", "_structs")

    def __init__(self, name: str, minor: int, *, gates: bool = False, lenient: bool = False) -> None:
        """Remember what to compile; members are compiled when the first value comes."""
        self._name, self._minor, self._gates, self._lenient = name, minor, gates, lenient
        self._fleeting = False
        self._members: dict[str, Convert] | None = None
        self._structs: tuple[tuple[str, TypePlan], ...] = ()
        self._constants: tuple[tuple[str, Any], ...] = ()
        self._rules: tuple[Rule, ...] = ()

    def _compile(self) -> dict[str, Convert]:
        name, minor, gates = self._name, self._minor, self._gates
        facts = type_facts(name, minor)
        assert facts is not None
        entry = type_entry(name)
        kept, milli = frozenset(entry.get("kept", ())), frozenset(entry.get("milli", ()))
        members: dict[str, Convert] = {}
        for member in facts.members.values():
            convert = _member(
                member, minor, gates, kept=member.name in kept, milli=member.name in milli, lenient=self._lenient
            )
            gone = not gates and is_gated(name, member.name, minor)
            members[member.name] = _vanishing(convert) if gone else convert
        structs = [member for member in facts.members.values() if _is_struct(member)]
        structs += [facts.members[key] for key in entry.get("structs", ()) if key in facts.members]
        self._structs = tuple(
            (m.name, type_plan(m.element.type_name, minor, gates=gates, lenient=self._lenient)) for m in structs
        )
        self._fleeting = bool(entry.get("fleeting"))
        on = [member for member in facts.members.values() if gates or not is_gated(name, member.name, minor)]
        structured = {member.name: members[member.name] for member in on if member.element.letter == "@"}
        self._compile_rules(entry, on, structured)
        self._members = members
        return members

    def _compile_rules(
        self, entry: Mapping[str, Any], members: list[Member], structured: Mapping[str, Convert]
    ) -> None:
        known = {member.name for member in members}
        constants = {
            member.name: _REQUIRED_ZEROS[member.element.letter]
            for member in members
            if member.required
            and not member.shape
            and member.element.letter in _REQUIRED_ZEROS
            # A member that is kept even when empty can also be told from an absent one.
            and member.name not in entry.get("kept", ())
        }
        constants |= {key: value for key, value in entry.get("constant", {}).items() if key in known}
        plain = () if entry.get("early") else tuple(constants.items())
        self._constants = tuple((key, value) for key, value in plain if value.__class__ not in (dict, list))
        rest = {key: value for key, value in constants.items() if (key, value) not in self._constants}
        self._rules = tuple(compile_rules({**entry, "constant": rest}, structured))

    def convert(self, value: Any) -> Any:
        """A stored copy of a value, or `ABSENT`; raises `Undecodable`."""
        if value.__class__ is not dict:
            raise Undecodable
        members = self._members if self._members is not None else self._compile()
        stored: dict[str, Any] = {}
        for key, item in value.items():
            convert = members.get(key)
            if convert is None:
                if self._lenient:
                    continue
                raise Undecodable
            if item is not None:
                kept = convert(item)
                if kept is not ABSENT:
                    stored[key] = kept
        for key, plan in self._structs:
            if key not in stored:
                stored[key] = plan.convert({})
        for key, item in self._constants:
            if key not in stored:
                stored[key] = item
        for rule in self._rules:
            rule(stored)
        if self._fleeting and not stored and any(item is not None for key, item in value.items() if key in members):
            return ABSENT
        return stored


@lru_cache(maxsize=8192)
def type_plan(name: str, minor: int, *, gates: bool = False, lenient: bool = False) -> TypePlan:
    """The plan of a type; with `gates`, as if every feature were on; `lenient` lets unknown members vanish."""
    return TypePlan(name, minor, gates=gates, lenient=lenient)
