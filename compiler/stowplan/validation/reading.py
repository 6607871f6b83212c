"""Finds the objects of files, folders and streams: YAML documents, JSON values and lists, one at a time.

A stream is cut into documents before any is parsed, so that memory is bounded by the largest document.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from stowplan.source.api_json import JsonError, decode_json
from stowplan.source.api_yaml import YamlFault, read_documents
from stowplan.source.faults import EnvironmentFault
from stowplan.source.locate import DocumentMap, map_document
from stowplan.source.span import Pointer, Span

__all__ = ["MAX_DOCUMENT", "Item", "SourceText", "read_context", "read_paths", "read_stream"]

MAX_DOCUMENT: Final = 64 << 20
"""Bytes of one document; an API server takes 3 MiB, but a list of objects is one document."""
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_NO_OBJECTS: Final = frozenset({"kustomization.yaml", "kustomization.yml"})
"""Files in folders that tell a tool which manifests there are; named by themselves, they are judged like any other."""
_SEPARATOR: Final = re.compile(rb"---(?:[ \t\r\n]|$)")
_NOTHING: Final = re.compile(r"\s*(?:[#%][^\n]*(?:\n\s*|\Z))*\Z")
_TOKENS: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


@dataclass(slots=True)
class SourceText:
    """The text of one document and where it starts in its file; places are worked out when somebody asks."""

    path: str
    text: str
    line: int
    _map: DocumentMap | None = None
    _mapped: bool = False

    def locate(self, pointer: Pointer, *, at_key: bool = False) -> Span | None:
        """The place of a value; of the nearest one above it where there is none."""
        if not self._mapped:
            self._map = map_document(self.path, self.text, self.line)
            self._mapped = True
        return self._map.locate(pointer, at_key=at_key) if self._map is not None else None

    def at(self, line: int, column: int) -> Span:
        """A place by line and column of the text (from 1)."""
        here = self.line + max(line, 1) - 1
        return Span(self.path, here, max(column, 1), here, max(column, 1) + 1)


@dataclass(frozen=True, slots=True)
class Item:
    """One object to judge, or (`fault`) why there is none; `pointer` leads from the document to it."""

    source: SourceText
    document: int
    pointer: Pointer = ()
    value: Any = None
    duplicates: tuple[Pointer, ...] = ()
    fault: str = ""
    place: Span | None = None


def read_paths(paths: Iterable[str], stdin: BinaryIO) -> Iterator[Item]:
    """The objects of all paths in order; folders with everything below them, `-` for `stdin`.

    Raises:
        EnvironmentFault: a file cannot be opened or read.
    """
    for path in paths:
        if path == "-":
            yield from read_stream(stdin, "<stdin>")
            continue
        for file in _files(Path(path)):
            try:
                with file.open("rb") as stream:
                    yield from read_stream(stream, str(file))
            except OSError as problem:
                raise EnvironmentFault(f"cannot read `{file}`: {problem.strerror or problem}") from problem


def read_context(paths: Iterable[str], words: Iterable[str]) -> Iterator[Item]:
    """The objects of those files that hold one of these words; standard input, which comes but once, is left out.

    Raises:
        EnvironmentFault: a file cannot be opened or read.
    """
    wanted = re.compile(b"|".join(re.escape(word.encode()) for word in words))
    for file in (file for path in paths if path != "-" for file in _files(Path(path))):
        try:
            if not file.is_file():  # a pipe comes but once, too
                continue
            with file.open("rb") as stream:
                if any(wanted.search(line) for line in iter(lambda: stream.readline(MAX_DOCUMENT), b"")):
                    stream.seek(0)
                    yield from read_stream(stream, str(file))
        except OSError as problem:
            raise EnvironmentFault(f"cannot read `{file}`: {problem.strerror or problem}") from problem


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(_SUFFIXES) and not name.startswith(".") and name not in _NO_OBJECTS:
                yield Path(folder) / name


def read_stream(stream: BinaryIO, path: str) -> Iterator[Item]:
    """The objects of one stream; a document that cannot be read is an item with a fault."""
    lines = _Lines(stream)
    first = lines.peek_content()
    chunks = _json_values(lines, path) if first in (b"{", b"[") else _yaml_documents(lines, path)
    number = 0
    for source, fault in chunks:
        for item in _items(
            source, fault, number, as_json=first in (b"{", b"["), lenient=path.endswith((".yaml", ".yml"))
        ):
            number = item.document
            yield item
        number += 1


class _Lines:
    """Lines of a stream with a look ahead; no line is longer than a document may be."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._waiting: list[bytes] = []
        self.number = 0

    def peek_content(self) -> bytes:
        """The first byte that is no white space (and no byte order mark)."""
        while True:
            line = self._stream.readline(MAX_DOCUMENT + 1)
            if not self._waiting:
                line = line.removeprefix(b"\xef\xbb\xbf")
            self._waiting.append(line)
            if not line or line.strip() or len(self._waiting) > 10_000:
                return line.strip()[:1]

    def next(self) -> bytes:
        """The next line with its end; nothing at the end of the stream."""
        self.number += 1
        if self._waiting:
            return self._waiting.pop(0)
        return self._stream.readline(MAX_DOCUMENT + 1)


_Chunk = tuple[SourceText, str]


def _yaml_documents(lines: _Lines, path: str) -> Iterator[_Chunk]:
    """The stretches between separators; `---` in the first column always separates."""
    held: list[bytes] = []
    size, start = 0, 1
    while line := lines.next():
        if _SEPARATOR.match(line):
            if held:
                yield _chunk(path, held, start, size)
            held, size, start = [], 0, lines.number
            rest = line[3:]
            if rest.strip() and not rest.strip().startswith(b"#"):
                held, size = [b"   " + rest], len(rest)
            else:
                start += 1
            continue
        size += len(line)
        if size <= MAX_DOCUMENT:
            held.append(line)
    if held:
        yield _chunk(path, held, start, size)


def _json_values(lines: _Lines, path: str) -> Iterator[_Chunk]:
    """The values of a stream of JSON, one after the other."""
    held: list[bytes] = []
    depth, size, start, column = 0, 0, 1, 0
    while line := lines.next():
        begin = 0
        for token in _TOKENS.finditer(line):
            sign = token[0]
            if sign in (b"{", b"["):
                depth += 1
            elif sign in (b"}", b"]"):
                depth -= 1
                if depth <= 0:
                    held.append(line[begin : token.end()])
                    yield _chunk(path, [b" " * column, *held], start, size + len(line))
                    held, size, depth, begin = [], 0, 0, token.end()
                    start, column = lines.number, begin
        rest = line[begin:]
        if not held and not rest.strip():
            start, column = lines.number + 1, 0
            continue
        size += len(rest)
        if size <= MAX_DOCUMENT:
            held.append(rest)
    if b"".join(held).strip():
        yield _chunk(path, [b" " * column, *held], start, size)


def _chunk(path: str, parts: list[bytes], line: int, size: int) -> _Chunk:
    if size > MAX_DOCUMENT:
        return SourceText(path, "", line), f"the document is larger than {MAX_DOCUMENT >> 20} MiB"
    raw = b"".join(parts)
    return SourceText(path, raw.decode("utf-8", "replace"), line), ""


def _items(source: SourceText, fault: str, number: int, *, as_json: bool, lenient: bool) -> Iterator[Item]:
    if fault:
        yield Item(source, number, fault=fault, place=source.at(1, 1))
        return
    if not as_json:
        yield from _yaml_items(source, number)
        return
    try:
        decoded = decode_json(source.text.encode(), MAX_DOCUMENT)
    except JsonError as problem:
        if lenient:
            yield from _yaml_items(source, number)
            return
        text = f"couldn't get version/kind; json parse error: {problem}"
        yield Item(source, number, fault=text, place=_json_place(source))
        return
    yield from _expand(source, number, decoded.value, decoded.duplicates)


def _json_place(source: SourceText) -> Span:
    try:
        json.loads(source.text)
    except json.JSONDecodeError as problem:
        return source.at(problem.lineno, problem.colno)
    except (ValueError, RecursionError):
        pass
    return source.at(1, 1)


def _yaml_items(source: SourceText, number: int) -> Iterator[Item]:
    if _NOTHING.match(source.text):
        return
    try:
        for index, decoded in enumerate(read_documents(source.text)):
            yield from _expand(source, number + index, decoded.value, decoded.duplicates)
    except YamlFault as problem:
        yield Item(source, number, fault=str(problem), place=source.at(problem.line, problem.column))


def _expand(source: SourceText, number: int, value: Any, duplicates: tuple[Pointer, ...]) -> Iterator[Item]:
    """The object, or the objects of a list (lists in lists are objects like any other)."""
    kind = value.get("kind") if isinstance(value, dict) else None
    items = value.get("items") if isinstance(kind, str) and kind.endswith("List") else None
    if not isinstance(items, list):
        yield Item(source, number, (), value, duplicates)
        return
    fills: tuple[tuple[str, str], ...] = ()
    if kind != "List" and isinstance(value.get("apiVersion"), str):
        fills = (("apiVersion", value["apiVersion"]), ("kind", str(kind).removesuffix("List")))
    for index, item in enumerate(items):
        below = tuple(p[2:] for p in duplicates if p[:2] == ("items", index))
        whole = {**dict(fills), **item} if fills and isinstance(item, dict) and "kind" not in item else item
        yield Item(source, number, ("items", index), whole, below)
