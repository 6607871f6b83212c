"""Schema nodes as CEL types: which fields an expression may name, and of what type they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stowplan.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    ListType,
    MapType,
    ObjectField,
    ObjectType,
    Type,
    object_type,
)
from stowplan.schema.node import Node

__all__ = ["cel_type", "escape_name"]

_STRINGS = {"date-time": TIMESTAMP, "datetime": TIMESTAMP, "date": TIMESTAMP, "duration": DURATION, "byte": BYTES}
_RESERVED = frozenset(
    ["true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
     "loop", "package", "namespace", "return", "var", "void", "while"]
)  # fmt: skip
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")
_PARTS = re.compile(r"__|[./-]")
_WORDS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


def escape_name(name: str) -> str | None:
    """A property's name as expressions write it, or None if they cannot."""
    if not _NAME.match(name):
        return None
    if name in _RESERVED:
        return f"__{name}__"
    return _PARTS.sub(lambda match: _WORDS[match.group()], name)


class _NodeFields:
    """The fields of an object node, looked up when asked for."""

    __slots__ = ("_by_name", "_cache", "_extra", "_node")

    def __init__(self, node: Node, extra: dict[str, Type]) -> None:
        self._node, self._extra = node, extra
        self._cache: dict[str, ObjectField | None] = {}
        self._by_name: dict[str, str] = {}
        for name in node.property_names:
            escaped = escape_name(name)
            if escaped is not None:
                self._by_name[escaped] = name

    def field(self, name: str) -> ObjectField | None:
        """The field of that (escaped) name, if it has a type that rules can see."""
        if name not in self._cache:
            self._cache[name] = self._find(name)
        return self._cache[name]

    def _find(self, name: str) -> ObjectField | None:
        if name in self._extra:
            return ObjectField(self._extra[name], name)
        written = self._by_name.get(name) or (self._by_name.get(f"__{name}__") if name in _RESERVED else None)
        child = None if written is None else self._node.child(written)
        found = None if child is None else cel_type(child)
        if found is None or written is None or child is None:
            return None
        return ObjectField(found, written, nullable=child.nullable)

    def names(self) -> Iterable[str]:
        """All names."""
        return sorted({*self._by_name, *self._extra})


def _object_meta() -> Type:
    return object_type("metadata", {"name": STRING, "generateName": STRING})


def cel_type(node: Node, *, root: bool = False) -> Type | None:
    """The type of values at `node`, or None where rules cannot look (no type is given)."""
    if node.int_or_string:
        return DYN
    if node.type == "object":
        additional = node.additional
        if additional is not None:
            value = cel_type(additional)
            return None if value is None else MapType(STRING, value)
        extra: dict[str, Type] = {}
        if root or node.embedded:
            extra = {"apiVersion": STRING, "kind": STRING, "metadata": _object_meta()}
        return ObjectType("object", _NodeFields(node, extra))
    if node.type == "array":
        element = None if node.items is None else cel_type(node.items)
        return None if element is None else ListType(element, node.list_type or "atomic", node.map_keys)
    if node.type == "string":
        return _STRINGS.get(node.format, STRING)
    return {"integer": INT, "number": DOUBLE, "boolean": BOOL}.get(node.type)
