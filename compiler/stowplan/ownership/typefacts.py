"""Structural facts of a type: what is one value, what merges, and by which keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

__all__ = [
    "ABSENT", "DEDUCED", "ListFacts", "MapFacts", "Scalar", "StructuralTypes", "TypeFacts", "TypeNode", "once",
    "untyped",
]  # fmt: skip


class _Absent:
    """The type of `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands for a default that does not exist, since None is a value."""

Scalar = str
"""`string`, `numeric`, `boolean` or `untyped`."""


class ListFacts:
    """How a list merges: as one value (`associative` false), as a set (no keys) or by key fields."""

    __slots__ = ("_element", "associative", "key_defaults", "keys")

    def __init__(
        self,
        associative: bool,
        keys: tuple[str, ...],
        element: Callable[[], TypeFacts],
        key_defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self.associative = associative
        self.keys = keys
        self.key_defaults: Mapping[str, Any] = key_defaults or {}
        self._element = element

    @property
    def element(self) -> TypeFacts:
        """The type of the items."""
        return self._element()


class MapFacts:
    """How a map merges: as one value (`atomic`) or entry by entry; `element` is for names that are not declared."""

    __slots__ = ("_cache", "_element", "_field", "atomic")

    def __init__(
        self, atomic: bool, declared: Callable[[str], TypeFacts | None], element: Callable[[], TypeFacts | None]
    ) -> None:
        self.atomic = atomic
        self._field = declared
        self._element = element
        self._cache: dict[str, TypeFacts | None] = {}

    def declared(self, name: str) -> TypeFacts | None:
        """The type of a declared field, None when the schema does not name it."""
        if name in self._cache:
            return self._cache[name]
        found = self._field(name)
        if found is not None or len(self._cache) < 4096:
            self._cache[name] = found
        return found

    @property
    def element(self) -> TypeFacts | None:
        """The type of entries that are not declared; None where such entries are an error."""
        return self._element()


class TypeFacts(Protocol):
    """A type: any of a scalar, a list and a map; which one a value takes is decided by the value."""

    @property
    def scalar(self) -> Scalar | None:
        """The scalar form, if the type has one."""

    @property
    def list(self) -> ListFacts | None:
        """The list form, if the type has one."""

    @property
    def map(self) -> MapFacts | None:
        """The map form, if the type has one."""


class TypeNode:
    """A type with its forms given."""

    __slots__ = ("list", "map", "scalar")

    def __init__(
        self, scalar: Scalar | None = None, list_: ListFacts | None = None, map_: MapFacts | None = None
    ) -> None:
        self.scalar = scalar
        self.list = list_
        self.map = map_


def _make_deduced() -> TypeNode:
    atomic = TypeNode("untyped")
    atomic.list = ListFacts(False, (), lambda: atomic)
    atomic.map = MapFacts(True, lambda _: None, lambda: atomic)
    deduced = TypeNode("untyped")
    deduced.list = ListFacts(False, (), lambda: atomic)
    deduced.map = MapFacts(False, lambda _: None, lambda: deduced)
    return deduced


DEDUCED: Final[TypeNode] = _make_deduced()
"""The type of what no schema describes: maps merge entry by entry, lists are one value."""


def untyped() -> TypeFacts:
    """The facts for a kind without a schema: metadata is typed, all else deduced."""
    return _UNTYPED


class StructuralTypes:
    """Types written as plain data: a table of named types and references between them.

    A type is a mapping with any of `scalar`, `list` (`rel`, `keys`, `elem`) and `map` (`rel`, `fields`, `elem`). A
    reference is a name, a type in place, `{ref, rel}` with another relation, or `{type, default}`.
    """

    def __init__(self, types: Mapping[str, Any]) -> None:
        self._types = types
        self._named: dict[tuple[str, str | None], TypeNode] = {}

    def root(self, name: str) -> TypeFacts:
        """The named type.

        Raises:
            KeyError: the table has no such type.
        """
        return self._resolve(name)

    def _resolve(self, reference: Any, relation: str | None = None) -> TypeNode:
        if isinstance(reference, str):
            found = self._named.get((reference, relation))
            if found is None:
                found = self._named[(reference, relation)] = self._node(self._types[reference], relation)
            return found
        if "type" in reference and "default" in reference:
            return self._resolve(reference["type"], relation)
        if "ref" in reference:
            return self._resolve(reference["ref"], reference.get("rel"))
        return self._node(reference, relation)

    def _node(self, definition: Mapping[str, Any], relation: str | None) -> TypeNode:
        list_ = definition.get("list")
        map_ = definition.get("map")
        return TypeNode(
            definition.get("scalar"),
            self._list(list_, relation) if list_ is not None else None,
            self._map(map_, relation) if map_ is not None else None,
        )

    def _list(self, definition: Mapping[str, Any], relation: str | None) -> ListFacts:
        keys = tuple(definition.get("keys", ()))
        element = definition["elem"]
        associative = (relation or definition.get("rel")) == "associative"
        defaults = self._key_defaults(element, keys) if associative else {}
        return ListFacts(associative, keys, once(lambda: self._resolve(element)), defaults)

    def _key_defaults(self, element: Any, keys: tuple[str, ...]) -> dict[str, Any]:
        while not isinstance(element, str) and ("type" in element or "ref" in element):
            element = element.get("type", element.get("ref"))
        definition = self._types[element] if isinstance(element, str) else element
        fields = (definition.get("map") or {}).get("fields", {})
        return {
            key: fields[key]["default"]
            for key in keys
            if isinstance(fields.get(key), dict) and "default" in fields[key]
        }

    def _map(self, definition: Mapping[str, Any], relation: str | None) -> MapFacts:
        fields: Mapping[str, Any] = definition.get("fields", {})
        element = definition.get("elem")
        return MapFacts(
            (relation or definition.get("rel")) == "atomic",
            lambda name: self._resolve(fields[name]) if name in fields else None,
            once(lambda: None if element is None else self._resolve(element)),
        )


def once(make: Callable[[], Any]) -> Callable[[], Any]:
    """A function that makes its value at the first call and keeps it."""
    kept: list[Any] = []

    def get() -> Any:
        if not kept:
            kept.append(make())
        return kept[0]

    return get


_METADATA_TYPES: Final[Mapping[str, Any]] = {
    "string": {"scalar": "string"},
    "number": {"scalar": "numeric"},
    "strings": {"map": {"rel": "separable", "elem": "string"}},
    "owner": {
        "map": {
            "rel": "atomic",
            "fields": {
                "apiVersion": {"type": "string", "default": ""},
                "kind": {"type": "string", "default": ""},
                "name": {"type": "string", "default": ""},
                "uid": {"type": "string", "default": ""},
                "controller": {"scalar": "boolean"},
                "blockOwnerDeletion": {"scalar": "boolean"},
            },
        }
    },
    "any": {"scalar": "untyped", "list": {"rel": "atomic", "elem": "any"}, "map": {"rel": "atomic", "elem": "any"}},
    "metadata": {
        "map": {
            "rel": "separable",
            "fields": {
                **dict.fromkeys(
                    (
                        "name", "generateName", "namespace", "uid", "resourceVersion", "selfLink", "creationTimestamp",
                        "deletionTimestamp",
                    ),
                    "string",
                ),
                **dict.fromkeys(("generation", "deletionGracePeriodSeconds"), "number"),
                "labels": "strings",
                "annotations": "strings",
                "finalizers": {"list": {"rel": "associative", "elem": "string"}},
                "ownerReferences": {"list": {"rel": "associative", "keys": ["uid"], "elem": "owner"}},
                "managedFields": {"list": {"rel": "atomic", "elem": "any"}},
            },
        }
    },
}  # fmt: skip

METADATA: Final[TypeFacts] = StructuralTypes(_METADATA_TYPES).root("metadata")
"""The facts of `metadata`, equal for all kinds."""

_STRING: Final = TypeNode("string")

_UNTYPED: Final[TypeFacts] = TypeNode(
    map_=MapFacts(
        False,
        lambda name: METADATA if name == "metadata" else _STRING if name in ("apiVersion", "kind") else None,
        lambda: DEDUCED,
    )
)
