"""Reads the compiler's own canonical YAML about ten times as fast as a general reader, and nothing else."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final

from stowplan.source.yaml_writer import needs_quotes

__all__ = ["NotCanonical", "read_canonical"]

_MAX_DEPTH: Final = 100
_DECODER: Final = json.JSONDecoder()
_WORDS: Final = {"true": True, "false": False, "null": None}


class NotCanonical(ValueError):
    """The text is not what the canonical writer writes; a general reader has to tell what it means."""


def read_canonical(text: str) -> Any:
    """The value of one canonical document; comment lines before it are passed over.

    A bare text is taken only where the writer would have left it bare, so that what is read is what any reader reads.

    Raises:
        NotCanonical: the text is something else, or was cut short.
    """
    lines = text.split("\n")
    start = 0
    while start < len(lines) and lines[start].startswith("#"):
        start += 1
    if lines[-1] != "" or start == len(lines) - 1:
        raise NotCanonical("no document that ends with a line end")
    lines.pop()
    try:
        value, end = _block(lines, start, 0, 0)
    except IndexError:
        raise NotCanonical("the text is cut short") from None
    if end != len(lines):
        raise NotCanonical(f"line {end + 1} is not indented as it should be")
    return value


def _block(lines: list[str], at: int, indent: int, depth: int) -> tuple[Any, int]:
    if depth > _MAX_DEPTH:
        raise NotCanonical("nested too deeply")
    line = lines[at]
    if line[:indent].strip(" ") or line[indent : indent + 1] in ("", " "):
        raise NotCanonical(f"line {at + 1} is not indented as it should be")
    if _is_item(line, indent):
        return _sequence(lines, at, indent, depth)
    return _mapping(lines, at, indent, depth)


def _is_item(line: str, indent: int) -> bool:
    return line[indent : indent + 2] in ("- ", "-")


def _at_indent(line: str, indent: int) -> bool:
    """Whether a line has exactly this indentation."""
    return line[:indent].isspace() is (indent > 0) and len(line) > indent and line[indent] != " "


def _mapping(lines: list[str], at: int, indent: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while at < len(lines) and _at_indent(lines[at], indent) and not _is_item(lines[at], indent):
        key, rest = _split(lines[at][indent:])
        if key in found:
            raise NotCanonical(f"the key {key!r} stands twice")
        found[key], at = _value(lines, at, indent, rest, depth)
    if not found:
        raise NotCanonical(f"line {at + 1} is no entry")
    return found, at


def _split(text: str) -> tuple[str, str]:
    """Key and the rest of an entry."""
    if text[0] == '"':
        try:
            key, end = _DECODER.raw_decode(text)
        except ValueError:
            raise NotCanonical("a key is not quoted as it should be") from None
        if not isinstance(key, str) or text[end : end + 1] != ":" or text[end + 1 : end + 2] not in ("", " "):
            raise NotCanonical("a quoted key without a colon")
        return key, text[end + 2 :]
    key, colon, rest = text.partition(": ")
    if not colon:
        if not text.endswith(":"):
            raise NotCanonical("an entry without a colon")
        key = text[:-1]
    if not isinstance(_bare(key), str):
        raise NotCanonical("a bare key that is no text")
    return key, rest


def _value(lines: list[str], at: int, indent: int, rest: str, depth: int) -> tuple[Any, int]:
    """What stands after a key: on its line, or on the lines below."""
    if rest:
        return _inline(lines, at, indent, rest)
    below = lines[at + 1]
    if _at_indent(below, indent) and _is_item(below, indent):
        return _sequence(lines, at + 1, indent, depth + 1)
    return _block(lines, at + 1, indent + 2, depth + 1)


def _inline(lines: list[str], at: int, indent: int, text: str) -> tuple[Any, int]:
    if text in ("|", "|-"):
        return _literal(lines, at + 1, indent + 2, keep_end=text == "|")
    return _scalar(text), at + 1


def _literal(lines: list[str], at: int, indent: int, *, keep_end: bool) -> tuple[str, int]:
    margin = " " * indent
    start = at
    while at < len(lines) and (not lines[at] or lines[at].startswith(margin)):
        at += 1
    taken = [line[indent:] for line in lines[start:at]]
    if not taken or not taken[-1].strip() or taken[0][:1] in ("", " "):
        raise NotCanonical("a block of text with blank lines at its ends")
    return "\n".join(taken) + ("\n" if keep_end else ""), at


def _sequence(lines: list[str], at: int, indent: int, depth: int) -> tuple[list[Any], int]:
    if depth > _MAX_DEPTH:
        raise NotCanonical("nested too deeply")
    found = []
    while at < len(lines) and _at_indent(lines[at], indent) and _is_item(lines[at], indent):
        rest = lines[at][indent + 2 :]
        if not rest:
            value, at = _block(lines, at + 1, indent + 2, depth + 1)
        elif _opens_mapping(rest):
            lines[at] = " " * (indent + 2) + rest
            value, at = _mapping(lines, at, indent + 2, depth + 1)
        else:
            value, at = _inline(lines, at, indent, rest)
        found.append(value)
    return found, at


def _opens_mapping(text: str) -> bool:
    if text[0] == '"':
        try:
            _, end = _DECODER.raw_decode(text)
        except ValueError:
            return False
        return text[end : end + 1] == ":"
    return ": " in text or text.endswith(":")


def _scalar(text: str) -> Any:
    if text[0] == '"':
        try:
            value = json.loads(text)
        except ValueError:
            raise NotCanonical("a text is not quoted as it should be") from None
        return value
    if text == "{}":
        return {}
    return [] if text == "[]" else _bare(text)


@lru_cache(maxsize=65536)
def _bare(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if not needs_quotes(text):
        return text
    try:
        value = json.loads(text)
    except (ValueError, IndexError):
        value = None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise NotCanonical(f"{text[:40]!r} would be quoted")
