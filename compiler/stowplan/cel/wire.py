"""From JSON to CEL by type: date-time strings to timestamps, base64 to bytes, list types to their comparison rules."""

from __future__ import annotations

import base64
import binascii
import datetime
from collections.abc import Callable
from typing import Any

from stowplan.cel.library.times import parse_duration, parse_timestamp
from stowplan.cel.operators import fault
from stowplan.cel.types import (
    BYTES,
    DOUBLE,
    DURATION,
    TIMESTAMP,
    ListType,
    MapType,
    ObjectType,
    OptionalType,
    Type,
)  # fmt: skip
from stowplan.cel.values import ABSENT, KeyedList, OptionalValue, SetList, as_timestamp, is_list, is_map

__all__ = ["Converter", "converter"]

Converter = Callable[[Any], Any]
_MAX_DEPTH = 64


def converter(kind: Type, objects: bool, depth: int = 0) -> Converter | None:
    """What turns a wire value of this type into a CEL value, or None when they are the same.

    Objects are left alone unless `objects`: their fields are converted when selected; a comparison of whole objects
    needs them converted.
    """
    simple = _SIMPLE.get(kind.name)
    if simple is not None or depth > _MAX_DEPTH:
        return simple
    if isinstance(kind, ListType):
        return _list_converter(kind, converter(kind.element, objects, depth + 1))
    if isinstance(kind, MapType):
        return _map_converter(converter(kind.value, objects, depth + 1))
    if isinstance(kind, OptionalType):
        return _optional_converter(converter(kind.item, objects, depth + 1))
    return _object_converter(kind, depth) if objects and isinstance(kind, ObjectType) else None


def _timestamp(value: Any) -> Any:
    if isinstance(value, str):
        return parse_timestamp(value if len(value) != 10 else f"{value}T00:00:00Z")
    if isinstance(value, datetime.datetime):
        return as_timestamp(value)
    return value


def _duration(value: Any) -> Any:
    return parse_duration(value) if isinstance(value, str) else value


def _bytes(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise fault("the field is not base64") from None


def _double(value: Any) -> Any:
    return float(value) if type(value) is int else value


_SIMPLE: dict[str, Converter] = {
    TIMESTAMP.name: _timestamp, DURATION.name: _duration, BYTES.name: _bytes, DOUBLE.name: _double,
}  # fmt: skip


def _list_converter(kind: ListType, item: Converter | None) -> Converter | None:
    if kind.ordering == "atomic" and item is None:
        return None
    ordering, keys = kind.ordering, kind.keys

    def convert(value: Any) -> Any:
        if not is_list(value):
            return value
        items = value if item is None else list(map(item, value))
        if isinstance(value, SetList | KeyedList) or ordering == "atomic":
            return items if type(items) is type(value) or ordering == "atomic" else value
        return SetList(items) if ordering == "set" else KeyedList(items, keys)

    return convert


def _map_converter(item: Converter | None) -> Converter | None:
    if item is None:
        return None
    return lambda value: {k: item(v) for k, v in value.items()} if type(value) is dict else value


def _optional_converter(item: Converter | None) -> Converter | None:
    if item is None:
        return None

    def convert(value: Any) -> Any:
        if not isinstance(value, OptionalValue) or not value.present:
            return value if isinstance(value, OptionalValue) else ABSENT if value is None else value
        return OptionalValue(True, item(value.value))

    return convert


def _object_converter(kind: ObjectType, depth: int) -> Converter | None:
    fields: dict[str, Converter] = {}
    for name in kind.source.names():
        field = kind.source.field(name)
        inner = None if field is None else converter(field.type, True, depth + 1)
        if field is not None and inner is not None:
            fields[field.property] = inner
    if not fields:
        return None

    def convert(value: Any) -> Any:
        if not is_map(value):
            return value
        return {k: fields[k](v) if k in fields else v for k, v in value.items()}

    return convert
