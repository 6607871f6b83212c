"""Collects the causes of a refusal and words them the way the API server does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from stowplan.schema.verdict import FieldError

__all__ = ["Report", "Struct", "Word", "go_json", "go_quote"]

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
_ESCAPES |= {'"': '\\"', "\\": "\\\\"}


def go_quote(text: str) -> str:
    """The text as a Go string literal: printable characters as they are, the rest escaped."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_quoted_rune(rune) for rune in text) + '"'


def _quoted_rune(rune: str) -> str:
    if rune in _ESCAPES:
        return _ESCAPES[rune]
    if rune.isprintable():
        return rune
    code = ord(rune)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def go_json(value: object) -> str:
    """Compact JSON with the escapes that Go's encoder adds; mappings with sorted keys, as Go writes its maps."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


class Struct(dict[str, Any]):
    """A mapping whose members are written in the order they were put in, as Go writes a structure."""


class Word(str):
    """A text whose Go type has a name of its own: it is printed as JSON is, not as Go quotes texts."""

    __slots__ = ()


def _printed(value: object) -> str:
    if isinstance(value, Word):
        return go_json(value)
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Struct):
        members = (f"{go_json(key)}:{_nested(item)}" for key, item in value.items())
        return "{" + ",".join(members) + "}"
    return _nested(value) if isinstance(value, list) else go_json(value)


def _nested(value: object) -> str:
    if isinstance(value, list):
        return "[" + ",".join(_nested(item) for item in value) + "]"
    return _printed(value) if isinstance(value, Struct) else go_json(value)


class Report:
    """The causes found so far, in the order the server would list them."""

    __slots__ = ("errors", "minor")

    def __init__(self, minor: int = 36) -> None:
        self.errors: list[FieldError] = []
        self.minor = minor

    def add(self, field: str, reason: str, message: str) -> None:
        """Record a cause with its finished text; `reason` without the `FieldValue` in front."""
        self.errors.append(FieldError(field, "FieldValue" + reason, message))

    def required(self, field: str, detail: str = "") -> None:
        """The field must be there and not empty."""
        self.add(field, "Required", f"Required value: {detail}" if detail else "Required value")

    def invalid(self, field: str, value: object, detail: str) -> None:
        """The value breaks a rule; `detail` says which."""
        text = f"Invalid value: {_printed(value)}"
        self.add(field, "Invalid", f"{text}: {detail}" if detail else text)

    def invalid_all(self, field: str, value: object, details: Iterable[str]) -> None:
        """One cause for each text in `details`."""
        for detail in details:
            self.invalid(field, value, detail)

    def forbidden(self, field: str, detail: str) -> None:
        """The field may not be set here."""
        self.add(field, "Forbidden", f"Forbidden: {detail}" if detail else "Forbidden")

    def unsupported(self, field: str, value: object, supported: Iterable[str], *, plain: bool = False) -> None:
        """The value is none of `supported`; `plain` if its Go type is no more than a string."""
        names = ", ".join(go_quote(name) for name in supported)
        shown = Word(value) if isinstance(value, str) and not plain else value
        self.add(field, "NotSupported", f"Unsupported value: {_printed(shown)}: supported values: {names}")

    def duplicate(self, field: str, value: object) -> None:
        """The value occurs a second time."""
        self.add(field, "Duplicate", f"Duplicate value: {_printed(value)}")

    def not_found(self, field: str, value: object, detail: str = "") -> None:
        """The value names nothing that exists."""
        text = f"Not found: {_printed(value)}"
        self.add(field, "NotFound", f"{text}: {detail}" if detail else text)

    def too_long(self, field: str, limit: int) -> None:
        """The value has more than `limit` bytes."""
        self.add(field, "TooLong", f"Too long: may not be more than {limit} bytes")

    def too_many(self, field: str, actual: int, limit: int) -> None:
        """The list has more than `limit` items."""
        noun = "item" if limit == 1 else "items"
        self.add(field, "TooMany", f"Too many: {actual}: must have at most {limit} {noun}")

    def choice(self, field: str, value: object, supported: Mapping[str, Any] | tuple[str, ...]) -> bool:
        """Record `NotSupported` unless the value is one of `supported`; whether it was."""
        if isinstance(value, str) and value in supported:
            return True
        self.unsupported(field, "" if value is None else value, supported)
        return False

    def required_choice(self, field: str, value: object, supported: tuple[str, ...], detail: str = "") -> None:
        """Empty is `Required`, anything but one of `supported` is `NotSupported`."""
        if not value:
            self.required(field, detail)
        elif value not in supported:
            self.unsupported(field, value, supported)

    def non_negative(self, field: str, value: Any) -> None:
        """Record `Invalid` when the number is below zero; absent counts as zero."""
        if value is not None and value < 0:
            self.invalid(field, value, "must be greater than or equal to 0")
