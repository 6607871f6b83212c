"""Types of `object` for policy expressions: the schema of the matching kinds, of several kinds their union."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from stowplan.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    ListType,
    MapType,
    ObjectField,
    ObjectType,
    Type,
)
from stowplan.schema.builtin.pack import Element, Member, builtin_kinds, kind_type, supported_minor, type_facts
from stowplan.schema.declared import cel_type
from stowplan.schema.node import Node
from stowplan.schema.sets import SchemaSet

__all__ = ["KindName", "builtin_type", "kinds_named", "object_type_of", "pod_template_type"]

KindName = tuple[str, str]
"""apiVersion and kind."""

_SCALARS: Final = {
    "s": STRING, "i": INT, "l": INT, "f": DOUBLE, "b": BOOL, "y": BYTES, "t": TIMESTAMP, "u": TIMESTAMP,
}  # fmt: skip
_DEEPEST_UNION: Final = 24


class _BuiltinFields:
    """The members of a built-in type, looked up when asked for."""

    def __init__(self, type_name: str, minor: int) -> None:
        self._type_name, self._minor = type_name, minor

    def _members(self) -> dict[str, Member]:
        facts = type_facts(self._type_name, self._minor)
        return dict(facts.members) if facts is not None else {}

    def field(self, name: str) -> ObjectField | None:
        """The member that expressions call `name` (a reserved word also in its escaped form)."""
        members = self._members()
        plain = name.strip("_") if name.startswith("__") and name.endswith("__") else name
        found = members.get(name) or members.get(plain)
        return None if found is None else ObjectField(_member_type(found, self._minor), found.name)

    def names(self) -> Iterable[str]:
        """All names."""
        return sorted(self._members())


@cache
def builtin_type(type_name: str, minor: int) -> Type:
    """The type of values of a built-in type; `dyn` where it has no members of its own."""
    if type_facts(type_name, minor) is None:
        return DYN
    return ObjectType(type_name.rpartition(".")[2], _BuiltinFields(type_name, minor))


def _member_type(member: Member, minor: int) -> Type:
    inner = _member_type(member.nested, minor) if member.nested is not None else _element_type(member.element, minor)
    if member.shape == "[":
        return ListType(inner)
    return MapType(STRING, inner) if member.shape else inner


def _element_type(element: Element, minor: int) -> Type:
    if element.letter == "@":
        return builtin_type(element.type_name, minor)
    return _SCALARS.get(element.letter, DYN)


@cache
def pod_template_type(minor: int) -> Type:
    """A pod template with the `path` of the place it was found at."""
    return ObjectType("PodTemplate", _Extended(builtin_type("core.v1.PodTemplateSpec", minor), {"path": STRING}))


class _Extended:
    """An object type's fields, and some more that win."""

    def __init__(self, base: Type, extra: dict[str, Type]) -> None:
        self._base, self._extra = base, extra

    def field(self, name: str) -> ObjectField | None:
        """The field of that name."""
        if name in self._extra:
            return ObjectField(self._extra[name], name)
        return self._base.source.field(name) if isinstance(self._base, ObjectType) else ObjectField(DYN, name)

    def names(self) -> Iterable[str]:
        """All names."""
        known = self._base.source.names() if isinstance(self._base, ObjectType) else ()
        return sorted({*known, *self._extra})


class _Union:
    """Fields of several object types: known when one of them has it, `dyn` where they differ in type."""

    def __init__(self, types: Sequence[ObjectType], depth: int) -> None:
        self._types, self._depth = tuple(types), depth
        self._known: dict[str, ObjectField | None] = {}

    def field(self, name: str) -> ObjectField | None:
        """The field of that name."""
        if name not in self._known:
            found = [f for f in (t.source.field(name) for t in self._types) if f is not None]
            same = {f.property for f in found}
            joined = _union([f.type for f in found], self._depth + 1) if found else DYN
            self._known[name] = ObjectField(joined, found[0].property) if len(same) == 1 else None
        return self._known[name]

    def names(self) -> Iterable[str]:
        """All names."""
        return sorted({name for t in self._types for name in t.source.names()})


def _union(types: Sequence[Type], depth: int = 0) -> Type:
    distinct = list(dict.fromkeys(types))
    if len(distinct) == 1:
        return distinct[0]
    if depth > _DEEPEST_UNION:
        return DYN
    objects = [t for t in distinct if isinstance(t, ObjectType)]
    lists = [t for t in distinct if isinstance(t, ListType)]
    maps = [t for t in distinct if isinstance(t, MapType)]
    if len(objects) == len(distinct):
        return ObjectType(objects[0].name, _Union(objects, depth))
    if len(lists) == len(distinct):
        return ListType(_union([t.element for t in lists], depth + 1))
    if len(maps) == len(distinct) and all(t.key == STRING for t in maps):
        return MapType(STRING, _union([t.value for t in maps], depth + 1))
    return DYN


def kinds_named(name: str, groups: Sequence[str], schemas: Sequence[SchemaSet]) -> tuple[KindName, ...]:
    """Every served kind of a name (and of these groups, if any are given), custom kinds first."""
    found: dict[KindName, None] = {}
    for known in schemas:
        for pack in known.packs:
            for group, kind in pack.by_kind:
                if kind == name:
                    found.update({(f"{group}/{v}", kind): None for v in known.versions(group, kind)})
        for entry in sorted(builtin_kinds(supported_minor(known.minor))):
            api_version, _, kind = entry.rpartition("/")
            if kind == name:
                found[api_version, kind] = None
    return tuple(key for key in found if not groups or _group(key[0]) in groups)


def object_type_of(kinds: Iterable[KindName], schemas: Sequence[SchemaSet]) -> Type:
    """The union of the kinds' types over all sets of schemas; `dyn` where nothing is known of them."""
    types: list[Type] = []
    for api_version, kind in kinds:
        for known in schemas:
            found = _kind_type(api_version, kind, known)
            if found is not None and found not in types:
                types.append(found)
    return _union(types) if types else DYN


def _kind_type(api_version: str, kind: str, schemas: SchemaSet) -> Type | None:
    found = schemas.kind(api_version, kind)
    if found is None:
        return None
    root = getattr(found, "root", None)
    if isinstance(root, Node):
        return _custom_type(root, schemas.minor)
    minor = supported_minor(schemas.minor)
    name = kind_type(api_version, kind, minor)
    return None if name is None else builtin_type(name, minor)


_CUSTOM: dict[tuple[int, int, int], tuple[Node, Type]] = {}


def _custom_type(root: Node, minor: int) -> Type:
    """The type of a custom kind, with all of `metadata` (rules of a definition only see a part of it)."""
    key = (id(root.pool), root.index, minor)
    if key not in _CUSTOM:
        made = cel_type(root, root=True) or DYN
        meta = builtin_type("meta.v1.ObjectMeta", supported_minor(minor))
        extra: dict[str, Type] = {"apiVersion": STRING, "kind": STRING, "metadata": meta}
        _CUSTOM[key] = (root, ObjectType("object", _Extended(made, extra)) if isinstance(made, ObjectType) else DYN)
    return _CUSTOM[key][1]


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
