"""CEL values as JSON, and explanations of expressions as lines of text."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from typing import Any, Final

from stowplan.cel import Explanation
from stowplan.cel.values import Duration, OptionalValue, Timestamp, TypeValue

__all__ = ["explanation_lines", "json_value", "value_text"]

_LONGEST: Final = 120


def json_value(value: Any) -> Any:
    """A value as JSON has it: bytes in base64, times and types as text, an absent optional as null."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Timestamp | Duration):
        return str(value)
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, OptionalValue):
        return json_value(value.value) if value.present else None
    if isinstance(value, dict):
        return {_key(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    return str(value)


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(int(key)) if isinstance(key, int) else str(key)


def value_text(value: Any) -> str:
    """A value as one line of JSON."""
    return json.dumps(json_value(value), ensure_ascii=False)


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Every sub-expression with its place and value, indented by depth."""
    for depth, part in explanation.walk():
        value = f"error: {part.error}" if part.error is not None else value_text(part.value)
        given = ", ".join(f"{name} = {_short(value_text(item))}" for name, item in part.bindings)
        text = " ".join(part.text.split())
        with_given = f"  (where {given})" if given else ""
        yield f"{'  ' * depth}{part.line}:{part.column}  {_short(text)}  is  {_short(value)}{with_given}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
