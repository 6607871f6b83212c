"""Read YAML into plain data, strictly and at the speed of libyaml's events.

Positions are not kept: a problem takes its place from the event at hand, and `source.locate` finds any other place
again when a diagnostic needs it. Values are those that YAML 1.1, YAML 1.2 and Kubernetes' reader agree on
(`source.scalars`). Merge keys (`<<`) are refused: YAML 1.2 has none, and a document should say what it says.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Final, TypeAlias

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

from stowplan.source.document import Data, Document, SourceFile
from stowplan.source.inputs import digest_of
from stowplan.source.limits import Limits
from stowplan.source.locate import map_document
from stowplan.source.problems import Problem, ProblemKind
from stowplan.source.scalars import Plain, Refused, resolve_plain
from stowplan.source.span import Span
from stowplan.source.text import check_text, decode, line_starts

__all__ = ["read_yaml"]

_Event: TypeAlias = Any
"""An event of libyaml; which attributes it has depends on its class, and the loops below look at that first."""
_Mark: TypeAlias = Any

_TAG: Final = "tag:yaml.org,2002:"
_TAG_TYPES: Final[dict[str, type]] = {
    f"{_TAG}int": int, f"{_TAG}float": float, f"{_TAG}bool": bool, f"{_TAG}null": type(None),
}  # fmt: skip
_NEXT_DOCUMENT: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_MARK_ESCAPE: Final = re.compile(r"\\(?:u|U0000)[eE]00[01]")
_COLLECTION_TAGS: Final = frozenset({f"{_TAG}map", f"{_TAG}seq"})
_TYPE_WORDS: Final = {int: "an integer", float: "a number", bool: "a boolean", type(None): "null"}


def read_yaml(path: str, raw: bytes, limits: Limits | None = None) -> SourceFile:
    """Read one file. All its problems are reported together; documents that did not parse are left out.

    After a syntax error the reading goes on at the next `---`. `path` is only named, never opened.
    """
    limits = limits or Limits()
    digest = digest_of(raw)
    if len(raw) > limits.file_bytes:
        facts = (f"{len(raw):,} bytes", f"{limits.file_bytes:,} bytes")
        return SourceFile(path, "", digest, (), (Problem(ProblemKind.TOO_LARGE, path, None, "file", facts),))
    text, encoding_problems = decode(path, raw)
    text, character_problems = check_text(path, text, limits.problems)
    reader = _Reader(path, text, limits)
    reader.problems += encoding_problems + character_problems
    reader.read()
    return SourceFile(path, text, digest, tuple(reader.documents), tuple(reader.problems))


class _Stop(Exception):
    """The rest of the file is not worth reading: a budget is used up."""


class _Reader:
    """The state of reading one file: its budgets, and what was found so far."""

    def __init__(self, path: str, text: str, limits: Limits) -> None:
        self.path = path
        self.text = text
        self.limits = limits
        self.documents: list[Document] = []
        self.problems: list[Problem] = []
        self._starts: list[int] = []
        self._first_line = 1
        self._line = 1
        self._index = -1
        self._depth = 0
        self._nodes = 0
        self._aliases = 0
        self._plain: dict[str, Plain] = {}
        self._anchors: dict[str, tuple[Data, int] | None] = {}
        self._duplicates: dict[Span, tuple[int, str]] = {}
        self._watches_marks = _MARK_ESCAPE.search(text) is not None
        self._next: Callable[[], _Event] = _no_event

    def read(self) -> None:
        """Read every document; after a syntax error, from the next `---` on."""
        offset: int | None = 0
        try:
            while offset is not None:
                offset = self._read_stretch(offset)
        except _Stop:
            pass
        self._report_duplicates()
        self.problems.sort(key=_place)

    def _read_stretch(self, offset: int) -> int | None:
        """Read documents from the start of a line on; where to go on after a syntax error, None at the end."""
        try:
            self._next = CParser(self.text[offset:]).get_event
            self._read_documents()
        except YAMLError as error:
            self._starts = self._starts or line_starts(self.text)
            line = self._syntax_error(error)
            found = _NEXT_DOCUMENT.search(self.text, max(self._starts[line - 1], offset + 1))
            if found is None:
                return None
            self._first_line = bisect_right(self._starts, found.start())
            return found.start()
        return None

    def _read_documents(self) -> None:
        event: Any
        while type(event := self._next()) is not StreamEndEvent:
            if type(event) is DocumentStartEvent:
                self._index += 1
                self._line = self._span(event).line
                self._anchors.clear()
                self._depth = 0
                data = self._node(self._next())
                if data is not None:
                    self.documents.append(Document(self.path, self._index, self._line, data))

    def _node(self, event: _Event) -> Data:
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if kind is AliasEvent:
            return self._alias(event)
        if event.tag is not None and event.tag not in _COLLECTION_TAGS:
            self._add(ProblemKind.UNSUPPORTED_TAG, event, _short_tag(event.tag))
        self._depth += 1
        if self._depth > self.limits.depth:
            self._add(ProblemKind.TOO_LARGE, event, "depth", (f"{self.limits.depth} levels",))
            raise _Stop
        anchor, before = event.anchor, self._nodes
        if anchor is not None:
            self._anchors[anchor] = None
        value: Data = self._mapping() if kind is MappingStartEvent else self._sequence()
        self._depth -= 1
        if anchor is not None:
            self._anchors[anchor] = (value, self._nodes - before + 1)
        return value

    def _mapping(self) -> Data:
        result: dict[str, Data] = {}
        next_event, scalar, node, key_of = self._next, self._scalar, self._node, self._key
        while type(event := next_event()) is not MappingEndEvent:
            key = key_of(event)
            if key in result:
                self._note_duplicate(event, key)
            event = next_event()
            result[key] = scalar(event) if type(event) is ScalarEvent else node(event)
        self._count(len(result), event, "values")
        return result

    def _sequence(self) -> Data:
        result: list[Data] = []
        next_event, scalar, node = self._next, self._scalar, self._node
        while type(event := next_event()) is not SequenceEndEvent:
            result.append(scalar(event) if type(event) is ScalarEvent else node(event))
        self._count(len(result), event, "values")
        return result

    def _key(self, event: _Event) -> str:
        """A mapping key; one that is no string is reported, and its text stands in for it."""
        if type(event) is not ScalarEvent:
            self._add(ProblemKind.NON_STRING_KEY, event, details=("a collection or an alias",))
            self._node(event)
            return f"\0{event.start_mark.index}"
        if event.value == "<<" and event.style == "" and event.tag is None:
            self._add(ProblemKind.MERGE_KEY, event)
            return "<<"
        value = self._scalar(event)
        if type(value) is not str:
            self._add(ProblemKind.NON_STRING_KEY, event, event.value, (_TYPE_WORDS[type(value)],))
            return str(event.value)
        return value

    def _scalar(self, event: _Event) -> Plain:
        text: str = event.value
        if event.tag is not None:
            value = self._tagged(event)
        elif event.style == "":
            try:
                value = self._plain[text]
            except KeyError:
                value = self._new_plain(event)
        else:
            value = text
            if self._watches_marks and ("\ue000" in text or "\ue001" in text):
                mark = "\ue000" if "\ue000" in text else "\ue001"
                self._add(ProblemKind.FORBIDDEN_CHARACTER, event, f"U+{ord(mark):04X}")
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        return value

    def _new_plain(self, event: _Event) -> Plain:
        """Resolve a plain scalar not met before in this file; one that is refused counts as a string."""
        text: str = event.value
        value = resolve_plain(text)
        if isinstance(value, Refused):
            kind = ProblemKind.NUMBER if value.number else ProblemKind.AMBIGUOUS_SCALAR
            self._add(kind, event, text, value.readings)
            return text
        self._plain[text] = value
        return value

    def _tagged(self, event: _Event) -> Plain:
        """A scalar with a tag: a string by `!!str`, or a core tag that says what the scalar is anyway."""
        text: str = event.value
        if event.tag == f"{_TAG}str":
            return text
        value = resolve_plain(text) if event.style == "" else text
        if isinstance(value, Refused) or type(value) is not _TAG_TYPES.get(event.tag):
            self._add(ProblemKind.UNSUPPORTED_TAG, event, _short_tag(event.tag))
            return text
        return value

    def _alias(self, event: _Event) -> Data:
        name: str = event.anchor
        self._aliases += 1
        if self._aliases > self.limits.aliases:
            self._add(ProblemKind.TOO_LARGE, event, "aliases", (f"{self.limits.aliases:,} aliases",))
            raise _Stop
        found = self._anchors.get(name)
        if found is None:
            reason = "recursive" if name in self._anchors else "undefined"
            self._add(ProblemKind.ALIAS, event, name, (reason,))
            return None
        value, size = found
        self._count(size - 1, event, "expanded aliases")
        return value

    def _count(self, nodes: int, event: _Event, what: str) -> None:
        self._nodes += nodes
        if self._nodes > self.limits.nodes:
            self._add(ProblemKind.TOO_LARGE, event, what, (f"{self.limits.nodes:,} values",))
            raise _Stop

    def _add(
        self, kind: ProblemKind, event: _Event | None, value: str = "", details: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        at = self._span(event) if event else None
        self._report(Problem(kind, self.path, at, value, details))

    def _report(self, problem: Problem) -> None:
        self.problems.append(problem)
        if len(self.problems) >= self.limits.problems:
            facts = (f"{self.limits.problems} problems",)
            self.problems.append(Problem(ProblemKind.TOO_MANY_PROBLEMS, self.path, problem.at, details=facts))
            raise _Stop

    def _span(self, event: _Event) -> Span:
        return self._between(event.start_mark, event.end_mark)

    def _between(self, start: _Mark, end: _Mark) -> Span:
        first = self._first_line
        return Span(self.path, start.line + first, start.column + 1, end.line + first, end.column + 1)

    def _syntax_error(self, error: YAMLError) -> int:
        """Report what libyaml complains about; the line of the complaint."""
        if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
            self._report(Problem(ProblemKind.INVALID_YAML, self.path, None, details=(str(error), "")))
            return len(self._starts)
        mark, context = error.problem_mark, error.context_mark
        start = self._between(mark, mark)
        line = min(start.line, len(self._starts))
        at = Span(self.path, line, start.column, line, start.column + 1)
        related = self._between(context, context) if context and context.line != mark.line else None
        details = (error.problem or "", error.context or "")
        self._report(Problem(ProblemKind.INVALID_YAML, self.path, at, details=details, related=related))
        return line

    def _note_duplicate(self, event: _Event, key: str) -> None:
        self._duplicates[self._span(event)] = (self._line, key)
        if len(self._duplicates) >= self.limits.problems:
            raise _Stop

    def _report_duplicates(self) -> None:
        """Report duplicate keys with both places; the first place takes mapping the document again."""
        starts = line_starts(self.text) if self._duplicates else []
        for line in dict.fromkeys(line for line, _ in self._duplicates.values()):
            here = {at: key for at, (document, key) in self._duplicates.items() if document == line}
            mapped = map_document(self.path, self.text[starts[line - 1] :], line, until=max(here))
            firsts = dict(mapped.duplicate_keys()) if mapped else {}
            for at, key in here.items():
                self.problems.append(Problem(ProblemKind.DUPLICATE_KEY, self.path, at, key, related=firsts.get(at)))


def _no_event() -> _Event:
    raise AssertionError("the reader has not started")


def _place(problem: Problem) -> tuple[int, int]:
    return (problem.at.line, problem.at.column) if problem.at else (0, 0)


def _short_tag(tag: str) -> str:
    return tag.replace(_TAG, "!!", 1) if tag.startswith(_TAG) else tag
