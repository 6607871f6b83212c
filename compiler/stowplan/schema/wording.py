"""The API server's own wording: values as Go prints them, and the text of each cause of a refusal."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from stowplan.schema.verdict import FieldError
from stowplan.source.span import Pointer

__all__ = [
    "NOTHING",
    "OMITTED",
    "child_path",
    "duplicate",
    "forbidden",
    "go_number",
    "go_quote",
    "go_text",
    "index_path",
    "invalid",
    "json_text",
    "key_path",
    "not_supported",
    "required",
    "too_long",
    "too_many",
    "type_invalid",
]

NOTHING = "<nil>"
"""What the server prints for a cause without a field."""

OMITTED: Any = object()
"""Stands for a value that the server leaves out of its message."""

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def go_quote(text: str) -> str:
    """`text` in double quotes, escaped as Go's `%q` does."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_quoted_character, text)) + '"'


def _quoted_character(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xD800 <= code < 0xE000:
        return "\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def go_number(value: float) -> str:
    """A number as Go's `%v` prints it: integers in full, floats in their shortest form, `1e+06` from a million up."""
    if type(value) is int:
        return str(value)
    if math.isinf(value) or math.isnan(value):
        return {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}[repr(value)]
    sign, digits, _ = Decimal(repr(value)).normalize().as_tuple()
    exponent = Decimal(repr(value)).adjusted() if value else 0
    minus = "-" if sign else ""
    if -4 <= exponent < 6 or not value:
        return minus + (format(Decimal(repr(abs(value))).normalize(), "f") if value else "0")
    head, tail = str(digits[0]), "".join(map(str, digits[1:]))
    return f"{minus}{head}{'.' + tail if tail else ''}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def json_text(value: Any) -> str:
    """Compact JSON with sorted keys, as Go marshals plain data (whole floats without a fraction)."""
    return json.dumps(_whole(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _whole(value: Any) -> Any:
    if type(value) is float and value.is_integer() and abs(value) < 1e21:
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return value


def go_text(value: Any) -> str:
    """A refused value as it stands in the server's message."""
    kind = type(value)
    if kind is str:
        return go_quote(value)
    if kind is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    return go_number(value) if kind is int or kind is float else json_text(value)


def child_path(path: str, name: str) -> str:
    """The path of a declared field below `path`."""
    return f"{path}.{name}" if path else name


def key_path(path: str, key: str) -> str:
    """The path of a map's entry below `path`."""
    return f"{path}[{key}]"


def index_path(path: str, index: int) -> str:
    """The path of a list's item below `path`."""
    return f"{path}[{index}]"


def _body(label: str, value: Any) -> str:
    return label if value is OMITTED else f"{label}: {go_text(value)}"


def required(field: str, detail: str, pointer: Pointer) -> FieldError:
    """A value that must be there."""
    return FieldError(field, "FieldValueRequired", f"Required value: {detail}" if detail else "Required value", pointer)


def invalid(field: str, value: Any, detail: str, pointer: Pointer) -> FieldError:
    """A value that breaks a rule."""
    return FieldError(field, "FieldValueInvalid", f"{_body('Invalid value', value)}: {detail}", pointer)


def type_invalid(field: str, value: Any, detail: str, pointer: Pointer) -> FieldError:
    """A value of the wrong type."""
    return FieldError(field, "FieldValueTypeInvalid", f"{_body('Invalid value', value)}: {detail}", pointer)


def forbidden(field: str, detail: str, pointer: Pointer) -> FieldError:
    """A value that may not be set here."""
    return FieldError(field, "FieldValueForbidden", f"Forbidden: {detail}", pointer)


def duplicate(field: str, value: Any, pointer: Pointer) -> FieldError:
    """A value that may stand only once."""
    return FieldError(field, "FieldValueDuplicate", _body("Duplicate value", value), pointer)


def not_supported(field: str, value: Any, supported: Iterable[Any], pointer: Pointer) -> FieldError:
    """A value outside a closed set."""
    words = ", ".join(go_quote(word if type(word) is str else json_text(word)) for word in supported)
    return FieldError(
        field, "FieldValueNotSupported", f"{_body('Unsupported value', value)}: supported values: {words}", pointer
    )


def too_long(field: str, most: int, pointer: Pointer) -> FieldError:
    """A text longer than `most`."""
    plural = "byte" if most == 1 else "bytes"
    return FieldError(field, "FieldValueTooLong", f"Too long: may not be more than {most} {plural}", pointer)


def too_many(field: str, actual: int, most: int, pointer: Pointer) -> FieldError:
    """A list or map with more than `most` members."""
    plural = "item" if most == 1 else "items"
    return FieldError(field, "FieldValueTooMany", f"Too many: {actual}: must have at most {most} {plural}", pointer)
