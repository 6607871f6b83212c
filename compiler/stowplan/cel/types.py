"""Types of expressions: simple ones, lists, maps, optionals, and objects whose fields are looked up when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

__all__ = [
    "ANY_LIST", "ANY_MAP", "BOOL", "BYTES", "DOUBLE", "DURATION", "DYN", "INT", "NULL", "STRING", "TIMESTAMP", "TYPE", "UINT",
    "FieldSource", "Free", "ListType", "MapType", "NamedFields", "ObjectField", "ObjectType", "OptionalType", "Parameter", "Type",
    "TypeOf", "assignable", "can_be_null", "compatible", "is_special", "join", "object_type", "unify",
]  # fmt: skip


class Type:
    """A simple or opaque type, equal by name. Subclasses add parameters."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def _identity(self) -> tuple[Any, ...]:
        return (self.name,)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._identity() == self._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<type {self}>"


DYN: Final = Type("dyn")
BOOL: Final = Type("bool")
INT: Final = Type("int")
UINT: Final = Type("uint")
DOUBLE: Final = Type("double")
STRING: Final = Type("string")
BYTES: Final = Type("bytes")
NULL: Final = Type("null_type")
TIMESTAMP: Final = Type("timestamp")
DURATION: Final = Type("duration")
TYPE: Final = Type("type")
_NOT_NULLABLE: Final = frozenset({"bool", "int", "uint", "double", "string", "bytes", "type"})


class ListType(Type):
    """A list. `ordering` is `atomic`, `set` or `map` (with `keys`), as in `x-kubernetes-list-type`."""

    __slots__ = ("element", "keys", "ordering")

    def __init__(self, element: Type, ordering: str = "atomic", keys: tuple[str, ...] = ()) -> None:
        super().__init__("list")
        self.element = element
        self.ordering = ordering
        self.keys = keys

    def _identity(self) -> tuple[Any, ...]:
        return ("list", self.element)

    def __str__(self) -> str:
        return f"list({self.element})"


class MapType(Type):
    """A map from keys to values."""

    __slots__ = ("key", "value")

    def __init__(self, key: Type, value: Type) -> None:
        super().__init__("map")
        self.key = key
        self.value = value

    def _identity(self) -> tuple[Any, ...]:
        return ("map", self.key, self.value)

    def __str__(self) -> str:
        return f"map({self.key}, {self.value})"


class OptionalType(Type):
    """An optional value."""

    __slots__ = ("item",)

    def __init__(self, item: Type) -> None:
        super().__init__("optional_type")
        self.item = item

    def _identity(self) -> tuple[Any, ...]:
        return ("optional_type", self.item)

    def __str__(self) -> str:
        return f"optional({self.item})"


class TypeOf(Type):
    """The type of a type value, such as `int` used as an expression."""

    __slots__ = ("item",)

    def __init__(self, item: Type) -> None:
        super().__init__("type")
        self.item = item

    def _identity(self) -> tuple[Any, ...]:
        return ("type",)

    def __str__(self) -> str:
        return f"type({self.item})"


class Parameter(Type):
    """A type parameter in a function's signature."""

    __slots__ = ()


class Free(Type):
    """A type that an expression leaves open; what it stands for is found by `Inference`."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        super().__init__("dyn")
        self.number = number

    def _identity(self) -> tuple[Any, ...]:
        return ("free", self.number)


class ObjectField:
    """A field: its type and the property's name in the data, which may differ from the name in expressions.

    A field that is `nullable` is absent for expressions where the data hold null.
    """

    __slots__ = ("nullable", "property", "type")

    def __init__(self, type: Type, property: str, *, nullable: bool = False) -> None:
        self.type = type
        self.property = property
        self.nullable = nullable


class FieldSource(Protocol):
    """Where an object type's fields come from; asked only for fields an expression names."""

    def field(self, name: str) -> ObjectField | None:
        """The field called `name` in expressions (escaped where the property's name is no identifier)."""

    def names(self) -> Iterable[str]:
        """All names, as expressions write them; used for suggestions."""


class ObjectType(Type):
    """An object with declared fields; equal to another when the names are equal and the sources the same."""

    __slots__ = ("source",)

    def __init__(self, name: str, source: FieldSource) -> None:
        super().__init__(name)
        self.source = source

    def _identity(self) -> tuple[Any, ...]:
        return (id(self.source),)


class NamedFields:
    """A field source over a mapping of names to types."""

    __slots__ = ("_types",)

    def __init__(self, types: Mapping[str, Type]) -> None:
        self._types = dict(types)

    def field(self, name: str) -> ObjectField | None:
        """The field of that name; names are not escaped."""
        found = self._types.get(name)
        return None if found is None else ObjectField(found, name)

    def names(self) -> Iterable[str]:
        """The names in the order given."""
        return self._types


def object_type(name: str, fields: Mapping[str, Type]) -> ObjectType:
    """An object type from field types."""
    return ObjectType(name, NamedFields(fields))


ANY_LIST: Final = ListType(DYN)
ANY_MAP: Final = MapType(DYN, DYN)


def assignable(target: Type, given: Type) -> bool:
    """Whether a value of type `given` may stand where `target` is expected; `dyn` fits everywhere."""
    if target is given or target == DYN or given == DYN:
        return True
    if given == NULL:
        return can_be_null(target)
    if isinstance(target, ListType):
        return isinstance(given, ListType) and assignable(target.element, given.element)
    if isinstance(target, MapType):
        return (
            isinstance(given, MapType) and assignable(target.key, given.key) and assignable(target.value, given.value)
        )
    if isinstance(target, OptionalType):
        return isinstance(given, OptionalType) and assignable(target.item, given.item)
    if target.name == "type":
        return given.name == "type"
    return target == given


def can_be_null(kind: Type) -> bool:
    """Whether null goes where a value of the type is expected."""
    return kind == NULL or (kind.name not in _NOT_NULLABLE and not isinstance(kind, ListType | MapType))


def compatible(left: Type, right: Type) -> bool:
    """Whether two types may be compared for equality."""
    return assignable(left, right) or assignable(right, left)


def join(left: Type, right: Type) -> Type | None:
    """The type both fit, or None."""
    if left == right:
        return left
    if left == NULL and assignable(right, left):
        return right
    if right == NULL and assignable(left, right):
        return left
    if left == DYN or right == DYN:
        return DYN
    if isinstance(left, ListType) and isinstance(right, ListType):
        element = join(left.element, right.element)
        return None if element is None else ListType(element)
    if isinstance(left, MapType) and isinstance(right, MapType):
        key, value = join(left.key, right.key), join(left.value, right.value)
        return None if key is None or value is None else MapType(key, value)
    if isinstance(left, OptionalType) and isinstance(right, OptionalType):
        item = join(left.item, right.item)
        return None if item is None else OptionalType(item)
    return left if left.name == right.name == "type" else None


def unify(pattern: Type, given: Type, bound: dict[str, Type]) -> bool:
    """Match a signature's type against an argument's, binding type parameters."""
    if isinstance(pattern, Parameter):
        known = bound.get(pattern.name)
        joined = given if known is None else join(known, given)
        if joined is None:
            return False
        bound[pattern.name] = joined
        return True
    if given == DYN:
        return True
    if isinstance(pattern, ListType) and isinstance(given, ListType):
        return unify(pattern.element, given.element, bound)
    if isinstance(pattern, MapType) and isinstance(given, MapType):
        return unify(pattern.key, given.key, bound) and unify(pattern.value, given.value, bound)
    if isinstance(pattern, OptionalType) and isinstance(given, OptionalType):
        return unify(pattern.item, given.item, bound)
    return assignable(pattern, given)


def is_special(kind: Type) -> bool:
    """Whether values of this type look different on the wire: times, bytes, doubles and unordered lists.

    Objects are not looked into: their fields are converted when selected.
    """
    if kind in (TIMESTAMP, DURATION, BYTES, DOUBLE):
        return True
    if isinstance(kind, ListType):
        return kind.ordering != "atomic" or is_special(kind.element)
    if isinstance(kind, MapType):
        return is_special(kind.value)
    return isinstance(kind, OptionalType) and is_special(kind.item)
