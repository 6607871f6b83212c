"""A built-in kind behind the face that all kinds share (`stowplan.schema.kind.KindSchema`)."""

from __future__ import annotations

from typing import Any, Final

from stowplan.schema.builtin.facts import field_facts
from stowplan.schema.builtin.judge import judge_builtin, normalise_builtin
from stowplan.schema.builtin.pack import builtin_kinds, supported_minor, type_facts
from stowplan.schema.builtin.table import is_namespaced, plural_of
from stowplan.schema.kind import FieldFacts, ShapeCheck, ShapeLike
from stowplan.schema.verdict import Verdict
from stowplan.source.span import Pointer

__all__ = ["BuiltinKind", "builtin_kind"]

_JSON_TYPES: Final = {
    "map": "object",
    "list": "array",
    "bytes": "string",
    "time": "string",
    "quantity": "int-or-string",
    "any": "",
}


class BuiltinKind:
    """One built-in kind in one minor (see `KindSchema`)."""

    __slots__ = ("_minor", "_switched_on", "api_version", "kind", "namespaced")

    def __init__(self, api_version: str, kind: str, minor: int, *, switched_on: bool = False) -> None:
        """The kind must exist: use `builtin_kind`."""
        self._switched_on = switched_on
        self.api_version, self.kind, self._minor = api_version, kind, supported_minor(minor)
        self.namespaced = is_namespaced(f"{api_version}/{kind}")

    @property
    def plural(self) -> str:
        """The name of its resource in paths and in roles."""
        return plural_of(self.kind)

    @property
    def has_transitions(self) -> bool:
        """Whether an update can be refused for what the object was before."""
        from stowplan.schema.builtin.validation.registry import compares

        return compares(f"{self.api_version}/{self.kind}")

    def judge(self, value: dict[str, Any], old: dict[str, Any] | None = None, strict: bool = True) -> Verdict:
        """The server's verdict on creating `value`, or on updating `old` to it."""
        return judge_builtin(value, self._minor, old, strict, switched_on=self._switched_on)

    def normalise(self, value: dict[str, Any]) -> dict[str, Any]:
        """`value` with defaults and in canonical form; as it is when it cannot be decoded."""
        try:
            return normalise_builtin(value, self._minor)
        except ValueError:
            return value

    def field(self, pointer: Pointer) -> FieldFacts | None:
        """The facts of a field; None if the kind does not have it."""
        place = field_facts(self.api_version, self.kind, pointer, self._minor)
        if place is None:
            return None
        type_name = _JSON_TYPES.get(place.type, place.type)
        members = type_facts(place.type_name, self._minor) if place.type == "object" else None
        return FieldFacts(
            type_name,
            place.list_type,
            place.map_keys,
            ("atomic" if place.atomic else "granular") if type_name == "object" else "",
            known=place.type != "any",
            fields=tuple(members.members) if members is not None else (),
        )

    def list_topology(self, pointer: Pointer) -> tuple[str, tuple[str, ...]]:
        """List type and map keys at `pointer`."""
        found = self.field(pointer)
        return ("atomic", ()) if found is None or not found.list_type else (found.list_type, found.map_keys)

    def specialise(self, shape: ShapeLike) -> ShapeCheck:
        """The check of objects of one shape."""
        from stowplan.schema.builtin.specialise import specialise_builtin

        return specialise_builtin(shape, self._minor, switched_on=self._switched_on)


def builtin_kind(api_version: str, kind: str, minor: int, *, switched_on: bool = False) -> BuiltinKind | None:
    """The face of a kind that a minor serves by default, or that it has and the cluster switched on; None if there is none."""
    if f"{api_version}/{kind}" not in builtin_kinds(minor, unstable=switched_on):
        return None
    return BuiltinKind(api_version, kind, minor, switched_on=switched_on)
