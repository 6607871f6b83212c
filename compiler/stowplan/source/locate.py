"""Find where a value of a document stands, by parsing that document again when somebody asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from yaml import YAMLError
from yaml._yaml import CParser
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamStartEvent,
)

from stowplan.source.span import Pointer, Span

__all__ = ["DocumentMap", "map_document"]

_Event: TypeAlias = Any
_Mark: TypeAlias = Any

_DEEPEST: Final = 200
_SKIPPED: Final = (StreamStartEvent, DocumentStartEvent)


class _Node:
    """A value's place. `entries` are a mapping's (key, key span, value), `items` a sequence's values."""

    __slots__ = ("_by_key", "block", "entries", "items", "span")

    def __init__(self, span: Span, *, block: bool = False) -> None:
        self.span = span
        self.block = block
        self.entries: list[tuple[str, Span, _Node]] = []
        self.items: list[_Node] = []
        self._by_key: dict[str, tuple[Span, _Node]] = {}

    def step(self, step: str | int) -> tuple[Span | None, _Node] | None:
        """The key span (mappings only) and the value one step down; None where there is no such step."""
        if isinstance(step, int):
            return (None, self.items[step]) if 0 <= step < len(self.items) else None
        if len(self._by_key) < len(self.entries) and step not in self._by_key:
            # Of a key that is there twice, the first one counts.
            self._by_key = {key: (span, value) for key, span, value in reversed(self.entries)}
        return self._by_key.get(step)


class DocumentMap:
    """The places of everything in one document."""

    def __init__(self, root: _Node) -> None:
        self._root = root

    def locate(self, pointer: Pointer, *, at_key: bool = False) -> Span:
        """The span of the value at `pointer`, or of its key.

        A value that spreads over lines in block style, and one that is empty, is shown by its key. Where `pointer`
        leads nowhere, the span is the key of the nearest ancestor that exists.
        """
        node, key = self._root, None
        for step in pointer:
            found = node.step(step)
            if found is None:
                return key or _first_line(node)
            key, node = found
        return key if key and (at_key or node.block or _is_empty(node.span)) else _first_line(node)

    def duplicate_keys(self) -> Iterator[tuple[Span, Span]]:
        """Each key that stood in its mapping before: its span, and the span of the first one."""
        pending = [self._root]
        while pending:
            node = pending.pop()
            seen: dict[str, Span] = {}
            for key, span, value in node.entries:
                if key in seen:
                    yield span, seen[key]
                seen.setdefault(key, span)
                pending.append(value)
            pending.extend(node.items)


def map_document(path: str, text: str, line: int, until: Span | None = None) -> DocumentMap | None:
    """Map the first document of `text`, which starts at line `line` of its file.

    What does not parse is left out, and so is what stands after `until`.
    """
    builder = _Builder(path, line, until)
    parser = CParser(text)
    try:
        while parser.check_event() and builder.take(parser.get_event()):
            pass
    except YAMLError:
        pass
    return DocumentMap(builder.root) if builder.root else None


class _Builder:
    """Builds the tree of places from events; what is open when the events end stays as far as it came."""

    def __init__(self, path: str, line: int, until: Span | None) -> None:
        self._until = until
        self.root: _Node | None = None
        self._path = path
        self._line = line
        self._open: list[_Node] = []
        self._mappings: list[bool] = []
        self._keys: list[tuple[str, Span] | None] = []

    def take(self, event: _Event) -> bool:
        """Take the next event; False when the document is done."""
        if isinstance(event, _SKIPPED):
            return True
        if isinstance(event, DocumentEndEvent) or len(self._open) > _DEEPEST:
            return False
        if isinstance(event, MappingEndEvent | SequenceEndEvent):
            self._close(event)
            return bool(self._open)
        node = _Node(self._span(event.start_mark, event.end_mark))
        self._attach(node, event)
        if self._until is not None and node.span > self._until:
            return False
        if isinstance(event, MappingStartEvent | SequenceStartEvent):
            node.block = not event.flow_style
            self._open.append(node)
            self._mappings.append(isinstance(event, MappingStartEvent))
            self._keys.append(None)
            return True
        return bool(self._open)

    def _attach(self, node: _Node, event: _Event) -> None:
        if not self._open:
            self.root = self.root or node
            return
        parent = self._open[-1]
        if not self._mappings[-1]:
            parent.items.append(node)
            return
        key = self._keys[-1]
        if key is None:
            # A key that is no scalar was refused by the reader; its place still has to be kept.
            text = event.value if isinstance(event, ScalarEvent) else ""
            self._keys[-1] = (text, node.span)
        else:
            parent.entries.append((*key, node))
            self._keys[-1] = None

    def _close(self, event: _Event) -> None:
        node = self._open.pop()
        self._mappings.pop()
        self._keys.pop()
        if not node.block:
            node.span = self._join(node.span, event.end_mark)

    def _span(self, start: _Mark, end: _Mark) -> Span:
        first = self._line
        return Span(self._path, start.line + first, start.column + 1, end.line + first, end.column + 1)

    def _join(self, span: Span, end: _Mark) -> Span:
        return Span(span.path, span.line, span.column, end.line + self._line, end.column + 1)


def _is_empty(span: Span) -> bool:
    return (span.line, span.column) == (span.end_line, span.end_column)


def _first_line(node: _Node) -> Span:
    """The span of a value; of a block collection, its first key or its first item."""
    while node.block:
        if node.entries:
            return node.entries[0][1]
        if not node.items:
            break
        node = node.items[0]
    return node.span
