"""The `fieldPath` of a CEL rule (a small JSON path): as the server prints it, and as a pointer."""

from __future__ import annotations

import re

__all__ = ["parse_field_path"]

_STEP = re.compile(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}


def parse_field_path(text: str) -> tuple[str, tuple[str, ...]]:
    """`.spec['a.b']` as (`spec.a.b`, (`spec`, `a.b`)); what cannot be read is left out."""
    steps: list[str] = []
    place = 0
    while match := _STEP.match(text, place):
        place = match.end()
        quoted = match.group(2)
        steps.append(match.group(1) if quoted is None else re.sub(r"\\(.)", _unescaped, quoted))
    return ".".join(steps), tuple(steps)


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match.group(1), "")
