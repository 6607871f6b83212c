"""Read a skeleton, the text of a template with marks for values, into a tree with holes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from yaml import MarkedYAMLError, YAMLError
from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from stowplan.source.scalars import Refused, resolve_plain
from stowplan.source.yaml_writer import MAX_DEPTH
from stowplan.templates.marks import CLOSE, MARK, MARK_ESCAPE, OMIT_MARK, OPEN

__all__ = ["Hole", "Joined", "Key", "Node", "Places", "SkeletonError", "read_skeleton"]

_Event: TypeAlias = Any  # the stubs hold every mark of an event to be optional, which it never is here

_MAX_NODES: Final = 20_000  # of one skeleton, keys and the parts of strings too, counting what every alias stands for
_STRING_TAGS: Final = ("tag:yaml.org,2002:str", "!")


@dataclass(frozen=True, slots=True)
class Hole:
    """A value that keeps its type: a mark that is a whole plain scalar, or a whole key."""

    index: int


@dataclass(frozen=True, slots=True)
class Joined:
    """A string made of text and holes: a mark within a longer, a quoted or a block scalar."""

    parts: tuple[str | Hole, ...]


Key: TypeAlias = "str | Hole | Joined"
Node: TypeAlias = "dict[Key, Node] | list[Node] | str | int | float | bool | Hole | Joined | None"
Places: TypeAlias = "dict[tuple[Key | int, ...], int]"
"""For every node, the line of the skeleton (from 0) on which it, or its key, starts."""


class SkeletonError(ValueError):
    """The text that a template yields is no YAML, or YAML that readers disagree about; `line` counts from 0."""

    def __init__(self, message: str, line: int, helps: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.line = line
        self.helps = helps


class _Left:
    """A node that `omit` takes out."""


_LEFT_OUT: Final = _Left()


def read_skeleton(skeleton: str, places: list[Places] | None = None) -> tuple[Node, ...]:
    """The documents of a skeleton; empty ones are left out.

    `places`, when given, gets one table a document.

    Raises:
        SkeletonError: at the first thing that is wrong.
    """
    if found := MARK_ESCAPE.search(skeleton):
        raise SkeletonError(
            f"`{found[0]}` spells a character that is kept for values", _line_at(skeleton, found.start())
        )
    try:
        return tuple(_Reader(skeleton, places).documents())
    except MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        raise SkeletonError(f"the output is no YAML: {problem.problem}", mark.line if mark else 0) from None
    except YAMLError as problem:
        raise SkeletonError(f"the output is no YAML: {problem}", 0) from None


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position)


class _Reader:
    """One pass over the events of libyaml, which know whether a scalar was quoted."""

    def __init__(self, skeleton: str, places: list[Places] | None) -> None:
        self._next: Callable[[], _Event] = CParser(skeleton).get_event
        self._places = places
        self._table: Places | None = None
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._nodes = 0

    def documents(self) -> list[Node]:
        documents: list[Node] = []
        while not isinstance(event := self._next(), StreamEndEvent):
            if not isinstance(event, DocumentStartEvent):
                continue
            self._anchors.clear()
            self._table = None if self._places is None else {}
            first = self._next()
            node = self._node(first, ())
            end = self._next()
            if not isinstance(end, DocumentEndEvent):
                raise SkeletonError("a document has one value", end.start_mark.line)
            if node is None or isinstance(node, _Left):
                continue
            documents.append(node)
            if self._places is not None and self._table is not None:
                self._places.append(self._table)
        return documents

    def _node(self, event: _Event, path: tuple[Key | int, ...]) -> Node | _Left:
        self._count(1, event)
        if self._table is not None:
            self._table.setdefault(path, event.start_mark.line)
        if isinstance(event, AliasEvent):
            return self._alias(event)
        if isinstance(event, ScalarEvent):
            scalar = _scalar(event)
            self._count(_n_parts(scalar), event)
            return self._anchored(event, scalar, 1 + _n_parts(scalar))
        if len(path) > MAX_DEPTH:
            raise SkeletonError(f"collections are nested more than {MAX_DEPTH} deep", event.start_mark.line)
        if event.tag and event.tag not in ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            raise SkeletonError(f"the tag `{event.tag}` means nothing here", event.start_mark.line)
        before = self._nodes
        node = self._mapping(path) if isinstance(event, MappingStartEvent) else self._sequence(event, path)
        return self._anchored(event, node, self._nodes - before + 1)

    def _count(self, more: int, event: _Event) -> None:
        self._nodes += more
        if self._nodes > _MAX_NODES:
            raise SkeletonError(f"the output holds more than {_MAX_NODES:,} values", event.start_mark.line)

    def _anchored(self, event: _Event, node: Node | _Left, size: int) -> Node | _Left:
        if event.anchor and not isinstance(node, _Left):
            self._anchors[event.anchor] = (node, size)
        return node

    def _alias(self, event: _Event) -> Node:
        if event.anchor not in self._anchors:
            raise SkeletonError(f"no anchor `{event.anchor}` ends above this alias", event.start_mark.line)
        node, size = self._anchors[event.anchor]
        self._count(size, event)
        return node

    def _sequence(self, start: _Event, path: tuple[Key | int, ...]) -> Node:
        if not isinstance(start, SequenceStartEvent):
            raise SkeletonError("a value is missing", start.start_mark.line)
        items: list[Node] = []
        while not isinstance(event := self._next(), SequenceEndEvent):
            item = self._node(event, (*path, len(items)))
            if not isinstance(item, _Left):
                items.append(item)
        return items

    def _mapping(self, path: tuple[Key | int, ...]) -> Node:
        entries: dict[Key, Node] = {}
        seen: set[Key] = set()
        while not isinstance(event := self._next(), MappingEndEvent):
            key = _key(event)
            self._count(1 + _n_parts(key), event)
            if key in seen:
                raise SkeletonError(f"the key `{key}` stands here twice", event.start_mark.line)
            seen.add(key)
            if self._table is not None:
                self._table.setdefault((*path, key), event.start_mark.line)
            value = self._node(self._next(), (*path, key))
            if not isinstance(value, _Left):
                entries[key] = value
        return _in_order(entries)


def _n_parts(node: Node | _Left) -> int:
    """How many pieces a string has beyond the one that it counts as."""
    return len(node.parts) if isinstance(node, Joined) else 0


def _in_order(entries: Mapping[Key, Node]) -> dict[Key, Node]:
    """Fixed keys sorted, then those that are known when filled."""
    fixed = sorted(key for key in entries if isinstance(key, str))
    keys: list[Key] = [*fixed, *(key for key in entries if not isinstance(key, str))]
    return {key: entries[key] for key in keys}


def _key(event: _Event) -> Key:
    line = event.start_mark.line
    if not isinstance(event, ScalarEvent):
        raise SkeletonError("a key must be a plain string", line)
    key = _scalar(event)
    if isinstance(key, _Left):
        raise SkeletonError("`omit` cannot stand for a key; give it as the value", line)
    if not isinstance(key, str | Hole | Joined):
        raise SkeletonError(f"the key `{event.value}` is no string; quote it", line)
    if key == "<<":
        raise SkeletonError("merge keys are not supported; use a macro", line)
    return key


def _scalar(event: _Event) -> Node | _Left:
    text: str = event.value
    is_plain = event.style is None or event.style == ""
    if event.tag and event.tag not in _STRING_TAGS:
        raise SkeletonError(f"the tag `{event.tag}` means nothing here", event.start_mark.line)
    if OMIT_MARK in text:
        return _omitted(event, text, is_plain)
    if OPEN in text or CLOSE in text:
        return _with_marks(event, text, keeps_type=is_plain and not event.tag)
    if not is_plain or event.tag:
        return text
    value = resolve_plain(text)
    if isinstance(value, Refused):
        one, two, three = value.readings
        if value.number:
            raise SkeletonError(f"`{text}` is {one}; quote it if a string is meant", event.start_mark.line)
        raise SkeletonError(
            f"`{text}` is ambiguous: {one} in YAML 1.1, {two} in YAML 1.2, {three} in Kubernetes",
            event.start_mark.line,
            ("quote it, or spell the value out",),
        )
    return value


def _omitted(event: _Event, text: str, is_plain: bool) -> _Left:
    if text != OMIT_MARK or not is_plain:
        raise SkeletonError("`omit` must be a whole value, not a part of a string", event.start_mark.line)
    return _LEFT_OUT


def _with_marks(event: _Event, text: str, *, keeps_type: bool) -> Hole | Joined:
    pieces = MARK.split(text)
    parts: list[str | Hole] = [Hole(int(piece)) if i % 2 else piece for i, piece in enumerate(pieces) if piece]
    if any(OPEN in part or CLOSE in part for part in parts if isinstance(part, str)):
        raise SkeletonError("a value is cut in two by the text round it", event.start_mark.line)
    if keeps_type and len(parts) == 1 and isinstance(parts[0], Hole):
        return parts[0]
    return Joined(tuple(parts))
