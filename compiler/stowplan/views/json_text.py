"""Write JSON with indents as the standard library does, several times as fast (its own encoder of indented text is slow)."""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import Any

__all__ = ["json_text"]


def json_text(value: Any) -> str:
    """What `json.dumps(value, indent=1, ensure_ascii=False)` gives for plain data with text as keys and finite numbers."""
    parts: list[str] = []
    _append(value, "\n", parts)
    return "".join(parts)


def _append(value: Any, line: str, parts: list[str]) -> None:
    """`line` is the line break with the indent of the value at hand."""
    kind = type(value)
    if kind is dict and value:
        inner = f"{line} "
        head = "{" + inner
        for key, entry in value.items():
            parts.append(f"{head}{encode_basestring(key)}: ")
            _append(entry, inner, parts)
            head = "," + inner
        parts.append(line + "}")
    elif kind in (list, tuple) and value:
        inner = f"{line} "
        head = "[" + inner
        for entry in value:
            parts.append(head)
            _append(entry, inner, parts)
            head = "," + inner
        parts.append(line + "]")
    else:
        parts.append(_scalar(value, kind))


def _scalar(value: Any, kind: type) -> str:
    if kind is str:
        return encode_basestring(value)
    if kind is float:
        return float.__repr__(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return int.__repr__(value)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    raise TypeError(f"{kind.__name__} has no place in JSON")
