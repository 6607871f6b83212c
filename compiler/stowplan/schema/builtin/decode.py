"""Say in the server's words why an object of a built-in kind cannot be decoded strictly.

This is the slow half of decoding: it runs only on objects that `store` refused (or whose text repeats a key), finds
every unknown and repeated member, or the one value of a wrong type that hides all else, and words it as Go does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from stowplan.model.quantity import QuantityError, read_quantity
from stowplan.schema.builtin import canonical
from stowplan.schema.builtin.gonames import embedded_in, go_type, struct_name
from stowplan.schema.builtin.pack import Element, Member, kind_type, type_facts
from stowplan.schema.verdict import FieldError
from stowplan.source.span import Pointer

__all__ = ["explain_undecodable"]

_BITS: Final = {"i": 31, "l": 63}
_MAX_REPORTED: Final = 100


class _Stop(Exception):
    """A fault after which Go reads no further."""

    def __init__(self, message: str, pointer: Pointer) -> None:
        super().__init__(message)
        self.message, self.pointer = message, pointer


def _json_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _field(pointer: Pointer) -> str:
    """A path as strict decoding prints it."""
    text = ""
    for step in pointer:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


class _Walk:
    """One pass over an object; `soft` is the first wrong type, `strict` what only strict decoding minds."""

    def __init__(self, minor: int, duplicates: Sequence[Pointer]) -> None:
        self._minor = minor
        self._duplicates: dict[Pointer, list[str]] = {}
        for pointer in duplicates:
            self._duplicates.setdefault(pointer[:-1], []).append(str(pointer[-1]))
        self.soft: tuple[str, Pointer] | None = None
        self.strict: list[tuple[str, Pointer]] = []

    def _mismatch(self, value: Any, wanted: str, owner: str, go_path: str, pointer: Pointer, literal: bool) -> str:
        shown = f"number {value!r}" if literal and _json_kind(value) == "number" else _json_kind(value)
        into = f"struct field {owner}.{go_path}" if go_path else f"value of type {wanted}"
        message = f"json: cannot unmarshal {shown} into Go {into}" + (f" of type {wanted}" if go_path else "")
        if self.soft is None:
            self.soft = (message, pointer)
        return message

    def _repeated(self, pointer: Pointer) -> None:
        for key in self._duplicates.get(pointer, ()):
            self.strict.append((f'duplicate field "{_field((*pointer, key))}"', (*pointer, key)))

    def struct(self, type_name: str, value: dict[str, Any], pointer: Pointer, go_path: str, *, lenient: bool) -> None:
        """Check the members of a value of a type."""
        facts = type_facts(type_name, self._minor)
        assert facts is not None
        for key, item in value.items():
            member = facts.members.get(key)
            if member is None:
                if not lenient:
                    self.strict.append((f'unknown field "{_field((*pointer, key))}"', (*pointer, key)))
                continue
            embedded = embedded_in(type_name, key)
            below = ".".join(part for part in (go_path, embedded, key) if part)
            self._member(type_name, member, item, (*pointer, key), below, lenient=lenient)
        self._repeated(pointer)

    def _member(self, owner: str, member: Member, value: Any, pointer: Pointer, go_path: str, *, lenient: bool) -> None:
        if value is None:
            return
        if not member.shape:
            self._value(owner, member.name, member.element, value, pointer, go_path, lenient=lenient)
            return
        wanted = list if member.shape == "[" else dict
        if not isinstance(value, wanted):
            self._mismatch(value, go_type(owner, member), struct_name(owner), go_path, pointer, literal=False)
            return
        items = enumerate(value) if isinstance(value, list) else value.items()
        if isinstance(value, dict):
            self._repeated(pointer)
        for step, item in items:
            if member.nested is not None:
                self._member(owner, member.nested, item, (*pointer, step), go_path, lenient=lenient)
            elif item is not None:
                self._value(owner, member.name, member.element, item, (*pointer, step), go_path, lenient=lenient)

    def _value(
        self, owner: str, name: str, element: Element, value: Any, pointer: Pointer, go_path: str, *, lenient: bool
    ) -> None:
        if element.letter == "@":
            self._reference(owner, element.type_name, value, pointer, go_path, lenient=lenient)
            return
        if element.letter == "*":
            return
        if element.letter in "qtupy":
            self._special(owner, element.letter, value, pointer, go_path)
            return
        wanted = go_type(owner, Member(name, False, "", element))
        if element.letter in _BITS:
            bound = 2 ** _BITS[element.letter]
            fits = isinstance(value, int) and not isinstance(value, bool) and -bound <= value < bound
            literal = True
        else:
            kind = {"s": "string", "b": "bool", "f": "number"}[element.letter]
            fits, literal = _json_kind(value) == kind, False
        if not fits:
            self._mismatch(value, wanted, struct_name(owner), go_path, pointer, literal)

    def _special(self, owner: str, letter: str, value: Any, pointer: Pointer, go_path: str) -> None:
        """Values that read themselves; except for base64 Go stops at the first that fails."""
        try:
            if letter == "q":
                read_quantity(
                    value if isinstance(value, str) else "{}" if isinstance(value, dict | list) else repr(value)
                )
                return
            if letter == "p":
                self._port(owner, value, pointer, go_path)
                return
            if not isinstance(value, str):
                wanted = "[]uint8" if letter == "y" else "string"
                message = self._mismatch(value, wanted, struct_name(owner), go_path, pointer, literal=False)
                if letter != "y":
                    raise _Stop(message, pointer)
                return
            read = {"t": canonical.canonical_time, "u": canonical.canonical_micro_time}
            read.get(letter, canonical.canonical_base64)(value)
        except (QuantityError, canonical.ScalarError) as problem:
            if letter != "y":
                raise _Stop(str(problem), pointer) from None
            self.soft = self.soft or (str(problem), pointer)

    def _port(self, owner: str, value: Any, pointer: Pointer, go_path: str) -> None:
        whole = isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31
        if not isinstance(value, str) and not whole:
            raise _Stop(self._mismatch(value, "int32", struct_name(owner), go_path, pointer, literal=True), pointer)

    def _reference(
        self, owner: str, type_name: str, value: Any, pointer: Pointer, go_path: str, *, lenient: bool
    ) -> None:
        if type_name.startswith("apiextensions.v1.JSONSchemaPropsOr"):
            self._schema_or(type_name, value, pointer)
        elif type_facts(type_name, self._minor) is None:
            return
        elif isinstance(value, dict):
            self.struct(type_name, value, pointer, go_path, lenient=lenient)
        else:
            wanted = go_type(owner, Member("", False, "", Element("@", type_name)))
            self._mismatch(value, wanted, struct_name(owner), go_path, pointer, literal=False)

    def _schema_or(self, type_name: str, value: Any, pointer: Pointer) -> None:
        """The lenient corners of a CustomResourceDefinition's schema."""
        inner = _Walk(self._minor, ())
        items = value if isinstance(value, list) and type_name.endswith("OrArray") else [value]
        for item in items:
            if isinstance(item, dict):
                inner.struct("apiextensions.v1.JSONSchemaProps", item, pointer, "", lenient=True)
        if inner.soft is not None:
            raise _Stop(*inner.soft)
        if type_name.endswith("OrBool") and not isinstance(value, dict | bool):
            raise _Stop("boolean or JSON schema expected", pointer)


def explain_undecodable(
    value: Mapping[str, Any], minor: int, duplicates: Sequence[Pointer] = (), *, strict: bool = True
) -> tuple[FieldError, ...]:
    """Why the server refuses to decode an object of a known kind: a wrong type, or all unknown and repeated members.

    Empty when nothing is wrong; with `strict=False` unknown and repeated members are no fault.
    """
    api_version, kind = value["apiVersion"], value["kind"]
    name = kind_type(api_version, kind, minor)
    assert name is not None
    walk = _Walk(minor, duplicates)
    prefix = f'{kind} in version "{api_version.rpartition("/")[2]}" cannot be handled as a {kind}: '
    try:
        walk.struct(name, dict(value), (), "", lenient=False)
    except _Stop as stop:
        return (FieldError(_field(stop.pointer), "DecodeError", prefix + stop.message, stop.pointer),)
    if walk.soft is not None:
        message, pointer = walk.soft
        return (FieldError(_field(pointer), "DecodeError", prefix + message, pointer),)
    if not strict:
        return ()
    shown = walk.strict[:_MAX_REPORTED]
    return tuple(
        FieldError(_field(pointer), "UnknownField", f"{prefix}strict decoding error: {message}", pointer)
        for message, pointer in shown
    )
