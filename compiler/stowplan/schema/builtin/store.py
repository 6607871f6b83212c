"""Bring an object of a built-in kind into the form the server stores: decoded, defaulted, canonical.

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

from stowplan.model.quantity import QuantityError, read_quantity
from stowplan.schema.builtin import canonical, derive
from stowplan.schema.builtin.pack import Element, Member, kind_type, type_facts
from stowplan.schema.builtin.table import compile_condition, is_gated, is_namespaced, kind_entry, type_entry

__all__ = ["KindPlan", "TypePlan", "Undecodable", "kind_plan", "type_plan"]

Convert = Callable[[Any], Any]
Rule = Callable[[dict[str, Any]], None]


class Undecodable(Exception):
    """Something in the object could not be decoded strictly; where and why is not this module's concern."""


class _Absent:
    """The value of a member that is not stored."""


ABSENT: Final = _Absent()
_INT32: Final = (-(2**31), 2**31 - 1)
_INT64: Final = (-(2**63), 2**63 - 1)


def _text(value: Any) -> Any:
    if value.__class__ is str:
        return value
    raise Undecodable


def _flag(value: Any) -> Any:
    if value.__class__ is bool:
        return value
    raise Undecodable


def _small(value: Any) -> Any:
    if value.__class__ is int and -2147483648 <= value <= 2147483647:
        return value
    raise Undecodable


def _large(value: Any) -> Any:
    if value.__class__ is int and _INT64[0] <= value <= _INT64[1]:
        return value
    raise Undecodable


def _number(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e21 else float(value)
    if value.__class__ is int:
        return value
    raise Undecodable


def _port(value: Any) -> Any:
    return value if value.__class__ is str else _small(value)


def quantity_text(value: Any) -> str:
    """The JSON text of a quantity: what the server parses, whether string or number."""
    if value.__class__ is str:
        return str(value)
    if value.__class__ is int or isinstance(value, float):
        return repr(value)
    raise Undecodable


def _quantity(value: Any) -> Any:
    try:
        return read_quantity(value if value.__class__ is str else quantity_text(value)).text
    except QuantityError:
        raise Undecodable from None


def _milli(value: Any) -> Any:
    try:
        return read_quantity(value if value.__class__ is str else quantity_text(value)).milli
    except QuantityError:
        raise Undecodable from None


def _scalar(read: Callable[[str], str]) -> Convert:
    def convert(value: Any) -> Any:
        try:
            return read(_text(value))
        except canonical.ScalarError:
            raise Undecodable from None

    return convert


def _anything(value: Any) -> Any:
    return deepcopy(value) if value.__class__ in (dict, list) else value


def _json(value: Any) -> Any:
    """Any JSON that the server reads and writes again: whole numbers lose their fraction."""
    if value.__class__ is dict:
        return {key: _json(item) for key, item in value.items()}
    if value.__class__ is list:
        return [_json(item) for item in value]
    return _number(value) if isinstance(value, float) else value


_CONVERT: Final[dict[str, tuple[Convert, Any]]] = {
    # letter: how to read a value, and what a null in a list or map becomes
    "s": (_text, ""),
    "b": (_flag, False),
    "i": (_small, 0),
    "l": (_large, 0),
    "f": (_number, 0),
    "p": (_port, 0),
    "q": (_quantity, "0"),
    "y": (_scalar(canonical.canonical_base64), ""),
    "t": (_scalar(canonical.canonical_time), None),
    "u": (_scalar(canonical.canonical_micro_time), None),
    "*": (_anything, None),
}
_NEVER_EMPTY: Final = frozenset("pq*")


def _list_of(convert: Convert, zero: Callable[[], Any], *, keep: bool) -> Convert:
    def convert_list(value: Any) -> Any:
        if value.__class__ is not list:
            raise Undecodable
        if not value and not keep:
            return ABSENT
        return [convert(item) if item is not None else zero() for item in value]

    return convert_list


def _map_of(convert: Convert, zero: Callable[[], Any], *, keep: bool) -> Convert:
    def convert_map(value: Any) -> Any:
        if value.__class__ is not dict:
            raise Undecodable
        if not value and not keep:
            return ABSENT
        return {key: convert(item) if item is not None else zero() for key, item in value.items()}

    return convert_map


def _unless_empty(convert: Convert) -> Convert:
    return lambda value: convert(value) or ABSENT


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
            return _flag(value)
        if value.__class__ is list:
            return [schema.convert(item) if other == "Array" else _text(item) for item in value]
        if other == "Array":
            return ABSENT
        raise Undecodable

    return convert


def _element(
    element: Element, minor: int, gates: bool, *, milli: bool, lenient: bool
) -> tuple[Convert, Callable[[], Any]]:
    """How to read one element, and what a null becomes."""
    if element.letter != "@":
        convert, zero = _CONVERT[element.letter]
        return (_milli if milli else convert), lambda: zero
    special = _schema_or(element.type_name, minor, gates)
    if special is not None:
        return special, lambda: None
    if type_facts(element.type_name, minor) is None:
        return _json, lambda: None
    plan = type_plan(element.type_name, minor, gates=gates, lenient=lenient)
    return plan.convert, lambda: plan.convert({})


def _member(member: Member, minor: int, gates: bool, *, kept: bool, milli: bool, lenient: bool) -> Convert:
    if member.nested is not None:
        inner = _member(member.nested, minor, gates, kept=True, milli=milli, lenient=lenient)
        convert, zero = inner, lambda: None
    else:
        convert, zero = _element(member.element, minor, gates, milli=milli, lenient=lenient)
    if member.shape:
        return (_list_of if member.shape == "[" else _map_of)(convert, zero, keep=kept)
    if member.element.letter in "tu":
        return _unless_empty(convert)
    if kept or member.required or member.element.letter in _NEVER_EMPTY or member.element.letter == "@":
        return convert
    return _unless_empty(convert)


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


def _fill_when(name: str, value: Any, condition: list[Any]) -> Rule:
    holds = compile_condition(condition)

    def fill(target: dict[str, Any]) -> None:
        if name not in target and holds(target):
            target[name] = deepcopy(value)

    return fill


def _rules(entry: Mapping[str, Any]) -> list[Rule]:
    """The rules of an entry of the table, in order, without its plain constants."""
    rules: list[Rule] = [_fill_when(*early) for early in entry.get("early", ())]
    rules += [_fill(name, value) for name, value in entry.get("constant", {}).items()]
    rules += [_fill_when(*late) for late in entry.get("conditional", ())]
    rules += [derive.FUNCTIONS[name] for name in entry.get("derived", ())]
    return rules


_REQUIRED_ZEROS: Final = {"s": "", "b": False, "i": 0, "l": 0, "f": 0, "p": 0, "q": "0"}
_POINTER_TYPES: Final = frozenset(
    {"meta.v1.LabelSelector", "core.v1.SecretReference", "core.v1.LocalObjectReference", "core.v1.NodeSelector"}
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
            members[member.name] = (lambda value, check=convert: (check(value), ABSENT)[1]) if gone else convert
        structs = [member for member in facts.members.values() if _is_struct(member)]
        structs += [facts.members[key] for key in entry.get("structs", ()) if key in facts.members]
        self._structs = tuple(
            (m.name, type_plan(m.element.type_name, minor, gates=gates, lenient=self._lenient)) for m in structs
        )
        self._fleeting = bool(entry.get("fleeting"))
        self._compile_rules(entry, list(facts.members.values()))
        self._members = members
        return members

    def _compile_rules(self, entry: Mapping[str, Any], members: list[Member]) -> None:
        known = {member.name for member in members}
        constants = {
            member.name: _REQUIRED_ZEROS[member.element.letter]
            for member in members
            if member.required and not member.shape and member.element.letter in _REQUIRED_ZEROS
        }
        constants |= {key: value for key, value in entry.get("constant", {}).items() if key in known}
        plain = () if entry.get("early") else tuple(constants.items())
        self._constants = tuple((key, value) for key, value in plain if value.__class__ not in (dict, list))
        rest = {key: value for key, value in constants.items() if (key, value) not in self._constants}
        self._rules = tuple(_rules({**entry, "constant": rest}))

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


_SERVER_METADATA: Final = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)


class KindPlan:
    """How objects of one kind are stored in one minor."""

    __slots__ = ("_at", "_derived", "_spec", "_type", "namespaced")

    def __init__(self, kind: str, type_name: str, minor: int, *, gates: bool = False, lenient: bool = False) -> None:
        """Compile what the table says of the kind as a whole."""
        entry = kind_entry(kind)
        self.namespaced = is_namespaced(kind)
        self._type = type_plan(type_name, minor, gates=gates, lenient=lenient)
        facts = type_facts(type_name, minor)
        spec = facts.members.get("spec") if facts is not None else None
        self._spec = (
            type_plan(spec.element.type_name, minor, gates=gates, lenient=lenient)
            if spec is not None and type_facts(spec.element.type_name, minor) is not None
            else None
        )
        self._at = tuple((path.split("."), tuple(_rules(rules))) for path, rules in entry.get("at", {}).items())
        self._derived = tuple(derive.FUNCTIONS[name] for name in entry.get("derived", ()))

    def store(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The object as stored, without status and what only the server writes; raises `Undecodable`."""
        stored = self._type.convert(value)
        stored.pop("status", None)
        metadata = stored.setdefault("metadata", {})
        for key in _SERVER_METADATA:
            metadata.pop(key, None)
        if not self.namespaced:
            metadata.pop("namespace", None)
        if self._spec is not None and "spec" not in stored:
            stored["spec"] = self._spec.convert({})
        for path, rules in self._at:
            target = stored
            for step in path:
                target = target.get(step, {})
            for rule in rules:
                rule(target)
        for function in self._derived:
            function(stored)
        return stored


@lru_cache(maxsize=2048)
def kind_plan(
    api_version: str, kind: str, minor: int, *, gates: bool = False, lenient: bool = False
) -> KindPlan | None:
    """The plan of a kind; None when the minor does not know it."""
    name = kind_type(api_version, kind, minor)
    return None if name is None else KindPlan(f"{api_version}/{kind}", name, minor, gates=gates, lenient=lenient)
