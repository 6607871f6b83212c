"""Steps into an object as server-side apply names them: a field, a list item by key, a set item by value, an index."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

__all__ = [
    "FieldPath", "PathElement", "PathSyntaxError", "element_from_wire", "element_to_wire", "field", "format_path",
    "index", "item", "sort_key", "value",
]  # fmt: skip

FIELD: Final = "f"
KEY: Final = "k"
VALUE: Final = "v"
INDEX: Final = "i"

_INT64: Final = 1 << 63
"""Integers from here on are floating point numbers to an API server."""

_RANK: Final[Mapping[str, int]] = {FIELD: 0, KEY: 1, VALUE: 2, INDEX: 3}


class PathSyntaxError(ValueError):
    """A fieldsV1 key that no API server would have written."""


class PathElement(NamedTuple):
    """One step. `kind` is the letter that fieldsV1 uses; `payload` a name, (key, scalar) pairs, a scalar or an int.

    Scalars are stored as (type letter, value), since Python holds `True`, `1` and `1.0` to be equal and an API server
    holds only the last two to be.
    """

    kind: str
    payload: Any


FieldPath = tuple[PathElement, ...]
"""Steps from the root of an object downwards."""


@lru_cache(maxsize=65536)
def field(name: str) -> PathElement:
    """The step into the struct field or map key `name`."""
    return PathElement(FIELD, name)


def item(keys: Mapping[str, Any]) -> PathElement:
    """The step to the item of a map-list that carries these key fields."""
    return PathElement(KEY, tuple(sorted((name, _freeze(scalar)) for name, scalar in keys.items())))


def value(scalar: Any) -> PathElement:
    """The step to the item of a set that equals `scalar`."""
    return PathElement(VALUE, _freeze(scalar))


def index(position: int) -> PathElement:
    """The step to the item at `position`; lists that merge by position do not exist any more, old entries do."""
    return PathElement(INDEX, position)


def element_to_wire(element: PathElement) -> str:
    """The element as a fieldsV1 key, such as `f:spec` or `k:{"name":"x"}`."""
    if element.kind == FIELD:
        return "f:" + str(element.payload)
    if element.kind == KEY:
        return "k:" + _dump({name: _thaw(scalar) for name, scalar in element.payload})
    if element.kind == VALUE:
        return "v:" + _dump(_thaw(element.payload))
    return f"i:{element.payload}"


@lru_cache(maxsize=65536)
def element_from_wire(text: str) -> PathElement | None:
    """The element that a fieldsV1 key names; None for a prefix that readers must pass over.

    Raises:
        PathSyntaxError: the key is too short, or its payload cannot be read.
    """
    if len(text) < 2 or text[1] != ":":
        raise PathSyntaxError(f"a field key starts with a letter and a colon, not {text[:20]!r}")
    kind, payload = text[0], text[2:]
    if kind == FIELD:
        return field(payload)
    if kind == INDEX:
        return index(_integer(payload))
    if kind == VALUE:
        return value(_load(payload))
    if kind == KEY:
        keys = _load(payload)
        if not isinstance(keys, dict):
            raise PathSyntaxError(f"list keys are a JSON object, not {payload[:40]!r}")
        return item(keys)
    return None


def sort_key(element: PathElement) -> tuple[int, Any]:
    """A total order: names, then keyed items, then values, then positions."""
    return _RANK[element.kind], element.payload


def format_path(path: Iterable[PathElement]) -> str:
    """The path as people read it: `spec.template.spec.containers[name=app].image`."""
    out = ""
    for element in path:
        if element.kind == FIELD:
            out += _format_name(element.payload, first=not out)
        elif element.kind == KEY:
            out += "[" + ",".join(f"{name}={_show(scalar)}" for name, scalar in element.payload) + "]"
        elif element.kind == VALUE:
            out += f"[={_show(element.payload)}]"
        else:
            out += f"[{element.payload}]"
    return out


def _format_name(name: str, *, first: bool) -> str:
    if name and all(c.isalnum() or c in "_-" for c in name):
        return name if first else "." + name
    return f"[{json.dumps(name, ensure_ascii=False)}]"


def _show(scalar: tuple[str, Any]) -> str:
    thawed = _thaw(scalar)
    return thawed if isinstance(thawed, str) else _dump(thawed)


def _freeze(scalar: Any) -> tuple[str, Any]:
    if isinstance(scalar, str):
        return "s", scalar
    if isinstance(scalar, bool):
        return "b", scalar
    if isinstance(scalar, int | float):
        return "n", scalar if -_INT64 <= scalar < _INT64 else float(scalar)
    if scalar is None:
        return "0", 0
    return "j", json.dumps(scalar, sort_keys=True)


def _thaw(scalar: tuple[str, Any]) -> Any:
    if scalar[0] == "0":
        return None
    if scalar[0] == "j":
        return json.loads(scalar[1])
    return scalar[1]


def _dump(data: Any) -> str:
    if isinstance(data, dict):
        return "{" + ",".join(f"{_dump(name)}:{_dump(inner)}" for name, inner in data.items()) + "}"
    if isinstance(data, float):
        return _dump_float(data)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _dump_float(number: float) -> str:
    """The shortest digits, with an exponent only outside 1e-6 to 1e21, as Go's encoder writes them."""
    if number == 0 or 1e-6 <= abs(number) < 1e21:
        return format(Decimal(repr(number)).normalize(), "f")
    return re.sub(r"e([+-])0", r"e\1", repr(number))


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as problem:
        raise PathSyntaxError(f"{text[:40]!r} is not JSON: {problem}") from None


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise PathSyntaxError(f"{text[:40]!r} is not a position") from None
