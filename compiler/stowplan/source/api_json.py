"""Read a request body as the API server does: strict JSON, keeping the spelling of odd numbers and repeated keys.

The standard library is more generous than Go's decoder (`NaN`, control characters in strings) and keeps the last of
two equal keys in silence; this reader is neither.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from stowplan.source.span import Pointer

__all__ = ["Decoded", "JsonError", "SpeltInt", "decode_json"]

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MAX_BYTES: Final = 3 * 1024 * 1024


class JsonError(ValueError):
    """The body is not JSON; the message is the server's where it is known."""


class SpeltInt(float):
    """A number that is whole but not written as an integer (`1.0`, `1E2`); `text` is how it was written."""

    text: str

    def __new__(cls, text: str) -> SpeltInt:
        """A float that remembers its spelling."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded body: its value, and the places of keys that occur twice in one object, in document order."""

    value: Any
    duplicates: tuple[Pointer, ...] = ()


class _Pairs(dict[str, Any]):
    """An object in which some key occurred twice."""

    __slots__ = ("repeated",)
    repeated: tuple[str, ...]


def _constant(name: str) -> Any:
    raise JsonError(f"invalid character '{name[0]}' looking for beginning of value")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    seen: set[str] = set()
    repeated = []
    for key, _ in pairs:
        if key in seen and key not in repeated:
            repeated.append(key)
        seen.add(key)
    marked = _Pairs(result)
    marked.repeated = tuple(repeated)
    return marked


def _find_duplicates(value: Any, path: Pointer, found: list[Pointer]) -> Any:
    """The value without marks, collecting the places of repeated keys."""
    if isinstance(value, dict):
        if isinstance(value, _Pairs):
            found.extend((*path, key) for key in value.repeated)
        return {key: _find_duplicates(item, (*path, key), found) for key, item in value.items()}
    if isinstance(value, list):
        return [_find_duplicates(item, (*path, index), found) for index, item in enumerate(value)]
    return value


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(item) for key, item in value.items()}
    return [_replace_surrogates(item) for item in value] if isinstance(value, list) else value


def _number(text: str) -> float:
    return SpeltInt(text)


def decode_json(body: bytes, most: int = _MAX_BYTES) -> Decoded:
    """Decode a body; raises `JsonError`. Bodies over `most` bytes (3 MiB) and very deep nesting are refused.

    Floats keep their spelling (`SpeltInt`), invalid UTF-8 and lone surrogates become U+FFFD, as in Go.
    """
    if len(body) > most:
        raise JsonError(f"the object is larger than {most} bytes")
    text = body.decode("utf-8", "replace")
    repeated = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        result = _pairs(items)
        repeated = repeated or result.__class__ is _Pairs
        return result

    try:
        value = json.loads(text, parse_constant=_constant, parse_float=_number, object_pairs_hook=pairs)
    except RecursionError:
        raise JsonError("exceeded max depth") from None
    except json.JSONDecodeError as problem:
        raise JsonError(_go_message(text, problem)) from None
    except ValueError as problem:
        raise problem if isinstance(problem, JsonError) else JsonError("a number has too many digits") from None
    found: list[Pointer] = []
    if repeated:
        value = _find_duplicates(value, (), found)
    if "\\ud" in text or "\\uD" in text:
        value = _replace_surrogates(value)
    return Decoded(value, tuple(found))


def _go_message(text: str, problem: json.JSONDecodeError) -> str:
    """Go's words for the place where parsing stopped."""
    if problem.pos >= len(text):
        return "unexpected end of JSON input"
    character = text[problem.pos]
    shown = repr(character) if character != "'" else r"'\''"
    where = {
        "Extra data": "after top-level value",
        "Expecting ',' delimiter": "after object key:value pair",
        "Expecting ':' delimiter": "after object key",
        "Expecting value": "looking for beginning of value",
        "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    }.get(problem.msg, "in string literal")
    return f"invalid character {shown} {where}"
