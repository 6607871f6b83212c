"""How large values may be by the schema of a definition, as API servers reckon when they estimate what rules cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stowplan.schema.declared import escape_name

__all__ = ["REQUEST_BYTES", "DeclaredSize", "repetitions"]

REQUEST_BYTES: Final = 3 * 1024 * 1024
"""The largest request that a server takes; nothing in it can be larger."""

_Schema = Mapping[str, Any]
_TIMES: Final = {"duration": (32, 3), "date": (12, 12), "date-time": (32, 21), "datetime": (32, 21)}
_TEXT: Final[_Schema] = {"type": "string"}
_META: Final[_Schema] = {
    "apiVersion": _TEXT, "kind": _TEXT,
    "metadata": {"type": "object", "properties": {"name": _TEXT, "generateName": _TEXT}},
}  # fmt: skip


class DeclaredSize:
    """A node of a schema: the largest size of its values, the fewest bytes of one in JSON, and the nodes below."""

    __slots__ = ("_fields", "_keys", "_least", "_most", "_values")

    def __init__(self, most: int, least: int) -> None:
        self._most, self._least = most, least
        self._fields: dict[str, DeclaredSize] = {}
        self._keys: DeclaredSize | None = None
        self._values: DeclaredSize | None = None

    @classmethod
    def of(cls, schema: _Schema, *, root: bool = False) -> DeclaredSize | None:
        """Of a schema; None where rules cannot look."""
        if schema.get("x-kubernetes-int-or-string"):
            return cls(_bounded(schema, "maxLength", 4, REQUEST_BYTES - 2), 1)
        kind = schema.get("type")
        if kind == "object":
            return cls._of_object(schema, root=root or bool(schema.get("x-kubernetes-embedded-resource")))
        if kind == "array":
            return cls._of_list(schema)
        if kind == "string":
            return cls._of_text(schema)
        least = {"boolean": 4, "number": 1, "integer": 1}.get(str(kind))
        return None if least is None else cls(0, least)

    @classmethod
    def _of_object(cls, schema: _Schema, *, root: bool) -> DeclaredSize | None:
        additional = schema.get("additionalProperties")
        if isinstance(additional, Mapping):
            values = cls.of(additional)
            if values is None:
                return None
            made = cls(_bounded(schema, "maxProperties", 1, (REQUEST_BYTES - 2) // (values.least + 6)), 2)
            made._keys, made._values = cls(0, 2), values
            return made
        made, required = cls(0, 2), set(schema.get("required") or ())
        properties = schema.get("properties") or {}
        if root and not _has_meta(properties):
            properties = {**properties, **_META}
        for name, part in properties.items():
            below = cls.of(part) if isinstance(part, Mapping) else None
            if below is None:
                continue
            escaped = escape_name(name)
            if escaped is not None:
                made._fields[escaped] = below
            if name in required and part.get("default") is None:
                made._least += len(name.encode()) + below.least + 4
        return made

    @classmethod
    def _of_list(cls, schema: _Schema) -> DeclaredSize | None:
        items = schema.get("items")
        values = cls.of(items) if isinstance(items, Mapping) else None
        if values is None:
            return None
        made = cls(_bounded(schema, "maxItems", 1, (REQUEST_BYTES - 2) // (values.least + 1)), 2)
        made._values = values
        return made

    @classmethod
    def _of_text(cls, schema: _Schema) -> DeclaredSize:
        form = schema.get("format")
        if form == "byte":
            return cls(_bounded(schema, "maxLength", 1, REQUEST_BYTES - 2), 2)
        if form in _TIMES:
            return cls(*_TIMES[form])
        longest = max((len(v.encode()) for v in schema.get("enum") or () if isinstance(v, str)), default=0)
        return cls(_bounded(schema, "maxLength", 4, longest if schema.get("enum") else REQUEST_BYTES - 2), 2)

    @property
    def most(self) -> int:
        """The largest size: characters, elements, or entries; 0 of what has none."""
        return self._most

    @property
    def least(self) -> int:
        """The fewest bytes that a value takes in JSON."""
        return self._least

    @property
    def in_a_request(self) -> int:
        """How many values find room in one request."""
        return REQUEST_BYTES // (self._least + 1)

    def field(self, name: str) -> DeclaredSize | None:
        """What is said of a field, by its name in expressions."""
        return self._fields.get(name)

    @property
    def keys(self) -> DeclaredSize | None:
        """What is said of a map's keys."""
        return self._keys

    @property
    def values(self) -> DeclaredSize | None:
        """What is said of a map's values, or a list's elements."""
        return self._values


def _has_meta(properties: _Schema) -> bool:
    """Whether a resource says itself of what type its name and kind are; else servers say so in its place."""
    meta = properties.get("metadata") or {}
    inner = meta.get("properties") or {}
    texts = [
        *(properties.get(name) for name in ("kind", "apiVersion")),
        *(inner.get(n) for n in ("name", "generateName")),
    ]
    return meta.get("type") == "object" and all((text or {}).get("type") == "string" for text in texts)


def _bounded(schema: _Schema, limit: str, factor: int, otherwise: int) -> int:
    """The stated limit (of texts, four bytes for each character), or what fits into a request."""
    stated = schema.get(limit)
    return otherwise if stated is None else max(0, stated) * factor


def repetitions(schema: _Schema) -> int | None:
    """How often what is inside a schema can be there for each time that it is there itself; None where nothing limits it."""
    kind = schema.get("type")
    if kind == "array":
        stated = schema.get("maxItems")
    elif kind == "object" and schema.get("additionalProperties") is not None:
        stated = schema.get("maxProperties")
    else:
        return 1
    return None if stated is None else max(0, int(stated))
