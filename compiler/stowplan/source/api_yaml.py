"""Reads one YAML document as the API server's YAML reader does: generous in style, with its meaning of plain scalars.

The server turns YAML into JSON first: whole floats become integers, keys become strings, merge keys are followed,
repeated keys are told to the strict decoder. Positions are not kept here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from yaml import MarkedYAMLError, YAMLError
from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from stowplan.source.api_json import Decoded, SpeltInt
from stowplan.source.scalars import readings
from stowplan.source.span import Pointer

__all__ = ["YamlFault", "read_documents"]

_MAX_DEPTH: Final = 200
_MAX_NODES: Final = 1_000_000
_TAG: Final = "tag:yaml.org,2002:"
_BEGINS_TEXT: Final = frozenset("abcdeghijklmpqrsuvwxzABCDEGHIJKLMPQRSUVWXZ_/$(")
_WHOLE_FLOATS: Final = 1e21
_LONG_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,400}\Z")


class YamlFault(ValueError):
    """The text cannot be read; `line` and `column` count from 1 within the text given, 0 where they are not known."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line, self.column = line, column


def read_documents(text: str) -> Iterator[Decoded]:
    """The documents of a text with the places of repeated keys; empty documents are left out. Raises `YamlFault`."""
    reader = _Reader(text)
    try:
        yield from reader.documents()
    except MarkedYAMLError as problem:
        mark = problem.problem_mark
        what = f"error converting YAML to JSON: yaml: {problem.problem or problem.context or 'invalid text'}"
        raise YamlFault(what, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0) from None
    except YAMLError as problem:
        raise YamlFault(f"error converting YAML to JSON: yaml: {str(problem).splitlines()[0]}") from None


class _Reader:
    """The state of one text: anchors, repeated keys and the budget of the document at hand."""

    def __init__(self, text: str) -> None:
        self._next: Callable[[], Any] = CParser(text).get_event
        self._anchors: dict[str, tuple[Any, int] | None] = {}
        self._duplicates: list[Pointer] = []
        self._nodes = 0
        self._known: dict[str, Any] = {}

    def documents(self) -> Iterator[Decoded]:
        event: Any
        while type(event := self._next()) is not StreamEndEvent:
            if type(event) is DocumentStartEvent:
                self._anchors.clear()
                self._duplicates = []
                self._nodes = 0
                value = self._node(self._next(), ())
                if value is not None:
                    yield Decoded(value, tuple(self._duplicates))

    def _node(self, event: Any, path: Pointer) -> Any:
        kind = type(event)
        if kind is ScalarEvent:
            value = self._scalar(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = (value, 1)
            return value
        if kind is AliasEvent:
            return self._alias(event)
        if len(path) >= _MAX_DEPTH:
            raise self._fault(event, "exceeded max depth")
        before = self._nodes
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        value = self._mapping(path) if kind is MappingStartEvent else self._sequence(path)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, self._nodes - before + 1)
        return value

    def _mapping(self, path: Pointer) -> dict[str, Any]:
        out: dict[str, Any] = {}
        merged: list[Any] = []
        while type(event := self._next()) is not MappingEndEvent:
            if type(event) is ScalarEvent and event.value == "<<" and event.style == "" and event.tag is None:
                merged.append((event, self._node(self._next(), (*path, "<<"))))
                continue
            key = self._key(event)
            if key in out and (*path, key) not in self._duplicates:
                self._duplicates.append((*path, key))
            out[key] = self._node(self._next(), (*path, key))
            self._count(1, event)
        for event, value in merged:
            self._merge(out, value, event)
        return out

    def _merge(self, out: dict[str, Any], value: Any, event: Any) -> None:
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, dict):
                raise self._fault(event, "map merge requires map or sequence of maps as the value")
            self._count(len(one), event)
            for key, item in one.items():
                out.setdefault(key, item)

    def _sequence(self, path: Pointer) -> list[Any]:
        out: list[Any] = []
        while type(event := self._next()) is not SequenceEndEvent:
            out.append(self._node(event, (*path, len(out))))
            self._count(1, event)
        return out

    def _key(self, event: Any) -> str:
        if type(event) is AliasEvent:
            value = self._alias(event)
        elif type(event) is ScalarEvent:
            value = self._scalar(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = (value, 1)
        else:
            raise self._fault(event, "invalid map key")
        if isinstance(value, bool):
            return "true" if value else "false"
        if value is None or isinstance(value, dict | list):
            raise self._fault(event, f"unsupported map key of type: {'nil' if value is None else 'collection'}")
        return str(value)

    def _alias(self, event: Any) -> Any:
        found = self._anchors.get(event.anchor)
        if found is None:
            known = event.anchor in self._anchors
            what = "value contains itself" if known else "unknown anchor"
            raise self._fault(event, f"{what}: '{event.anchor}'")
        self._count(found[1], event)
        return found[0]

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if event.tag is not None and event.tag != "!":
            return self._tagged(event)
        if event.style or event.tag == "!":
            return text
        if text and text[0] in _BEGINS_TEXT:
            return text
        if text not in self._known:
            self._known[text] = self._plain(text, event)
        return self._known[text]

    def _plain(self, text: str, event: Any) -> Any:
        value = readings(text)[2]
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, int | float):
            return _number(value)
        if _LONG_INTEGER.match(text):
            return _number(float(text)) if len(text) > 22 else int(text)
        if text == "<<":
            return text
        raise self._fault(event, f"json: unsupported value: {text}")

    def _tagged(self, event: Any) -> Any:
        text: str = event.value
        name = event.tag.removeprefix(_TAG)
        if name in ("str", "binary"):
            return text
        value = self._plain(text, event)
        fits = {"int": int, "float": int | float, "bool": bool, "null": type(None)}.get(name)
        if fits is not None and not isinstance(value, fits):
            raise self._fault(event, f"cannot decode !!str `{text[:40]}` as a !!{name}")
        return value

    def _count(self, nodes: int, event: Any) -> None:
        self._nodes += nodes
        if self._nodes > _MAX_NODES:
            raise self._fault(event, "document contains excessive aliasing, or too many values")

    def _fault(self, event: Any, message: str) -> YamlFault:
        mark = event.start_mark
        text = f"error converting YAML to JSON: yaml: {message}"
        return YamlFault(text, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0)


def _number(value: int | float) -> Any:
    """A number as it reads after the way over JSON: whole floats below 1e21 are written as integers there."""
    if isinstance(value, int):
        return value
    if math.isfinite(value) and value == int(value) and abs(value) < _WHOLE_FLOATS:
        return int(value)
    return SpeltInt(repr(value))
