"""The input of one run: every file of a workspace, parsed once, and kept for looking up places."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from stowplan.source.document import SourceFile, TemplateFile
from stowplan.source.inputs import (
    PACK_SUFFIX,
    TEMPLATE_SUFFIX,
    YAML_SUFFIXES,
    Inputs,
    ReadSettings,
    digest_of,
    read_inputs,
)
from stowplan.source.limits import Limits
from stowplan.source.locate import DocumentMap, map_document
from stowplan.source.problems import Problem, ProblemKind
from stowplan.source.span import Origin, Span
from stowplan.source.text import check_text, decode, line_starts, split_lines
from stowplan.source.yaml_reader import read_yaml

__all__ = ["ReadSettings", "SourceTree"]

_LOSSES: Final = frozenset(
    {
        ProblemKind.INVALID_YAML,
        ProblemKind.INVALID_ENCODING,
        ProblemKind.TOO_LARGE,
        ProblemKind.TOO_MANY_PROBLEMS,
        ProblemKind.UNUSABLE_FILE,
    }
)


class SourceTree:
    """All input files of a workspace, sorted by path (by code point), with what is wrong with them as text."""

    def __init__(
        self,
        files: tuple[SourceFile, ...],
        templates: tuple[TemplateFile, ...] = (),
        problems: tuple[Problem, ...] = (),
        packs: Mapping[str, bytes] | None = None,
    ) -> None:
        self.files = files
        self.templates = templates
        self.packs: Mapping[str, bytes] = packs or {}
        self.problems = (*problems, *(problem for file in files for problem in file.problems))
        self._texts = {file.path: file.text for file in files} | {file.path: file.text for file in templates}
        self._files: dict[str, SourceFile] = {file.path: file for file in files}
        self._template_paths = frozenset(file.path for file in templates)
        self._lines: dict[str, list[str]] = {}
        self._stretches: dict[str, dict[int, tuple[int, int, int]]] = {}
        self._maps: dict[tuple[str, int], DocumentMap | None] = {}

    @classmethod
    def read(cls, root: Path, settings: ReadSettings | None = None) -> SourceTree:
        """Read a workspace from disk.

        Raises:
            EnvironmentFault: a folder is missing, or a file or folder cannot be read.
        """
        return cls.parse(read_inputs(root, settings))

    @classmethod
    def from_texts(cls, texts: Mapping[str, str | bytes], limits: Limits | None = None) -> SourceTree:
        """The tree that would be read from files of these paths and contents."""
        contents = {path: text.encode() if isinstance(text, str) else text for path, text in texts.items()}
        return cls.parse(Inputs(contents, limits=limits or Limits()))

    @classmethod
    def parse(cls, inputs: Inputs) -> SourceTree:
        """The tree of files whose bytes were read already."""
        problems = list(inputs.problems)
        files: list[SourceFile] = []
        templates: list[TemplateFile] = []
        packs: dict[str, bytes] = {}
        for path, raw in sorted(inputs.contents.items()):
            if path.endswith(YAML_SUFFIXES):
                files.append(read_yaml(path, raw, inputs.limits))
            elif path.endswith(TEMPLATE_SUFFIX):
                template, template_problems = _read_template(path, raw, inputs.limits)
                templates.append(template)
                problems += template_problems
            elif path.endswith(PACK_SUFFIX):
                packs[path] = raw
        return cls(tuple(files), tuple(templates), tuple(problems), packs)

    @property
    def is_incomplete(self) -> bool:
        """Whether documents may be missing: complaints about names that nobody defines would be echoes then."""
        return any(problem.kind in _LOSSES for problem in self.problems)

    def locate(self, origin: Origin) -> Span | None:
        """Where a place of an input document stands in its text.

        A pointer that leads nowhere gives the key of its nearest ancestor; a file or document that was not read
        gives None. The document is parsed again at the first question about it.
        """
        if origin.is_text and origin.path in self._template_paths:
            return _stretch_of(origin)
        key = (origin.path, origin.document)
        if key not in self._maps:
            self._maps[key] = self._map(*key)
        mapped = self._maps[key]
        if mapped is None:
            return None
        span = mapped.locate(origin.pointer, at_key=origin.at_key)
        return self._within(span, *origin.inside) if origin.inside else span

    def _within(self, span: Span, line: int, column: int, length: int) -> Span:
        """A stretch of the scalar at `span`, by line and column of its own text; the scalar where that leads outside."""
        head = self.excerpt(span.path, span.line) or ""
        style = head[span.column - 1 : span.column]
        if style in ("|", ">"):
            first = self.excerpt(span.path, span.line + 1) or ""
            found = Span(span.path, span.line + line, len(first) - len(first.lstrip(" ")) + column, 0, 0)
        elif line == 1:
            found = Span(span.path, span.line, span.column + column - (0 if style in ("'", '"') else 1), 0, 0)
        else:
            return span
        text = self.excerpt(found.path, found.line) or ""
        if found.column > len(text):
            return span
        end = min(found.column + length, len(text) + 1)
        return Span(found.path, found.line, found.column, found.line, end)

    def excerpt(self, path: str, line: int) -> str | None:
        """Line `line` (from 1) of a file without its end, None where there is no such line."""
        if path not in self._lines:
            self._lines[path] = split_lines(self._texts.get(path, ""))
        lines = self._lines[path]
        return lines[line - 1] if path in self._texts and 0 < line <= len(lines) else None

    def _map(self, path: str, index: int) -> DocumentMap | None:
        file = self._files.get(path)
        if file is None:
            return None
        if path not in self._stretches:
            self._stretches[path] = _stretches(file)
        stretch = self._stretches[path].get(index)
        if stretch is None:
            return None
        line, start, end = stretch
        return map_document(path, file.text[start:end], line)


def _stretch_of(origin: Origin) -> Span | None:
    """The place in a template's text."""
    if origin.inside is None:
        return None
    line, column, length = origin.inside
    return Span(origin.path, line, column, line, column + length)


def _stretches(file: SourceFile) -> dict[int, tuple[int, int, int]]:
    """For each document its line, and the offsets between which its text stands; what did not parse may follow it."""
    starts = line_starts(file.text)
    begins = [starts[document.line - 1] for document in file.documents]
    ends = [*begins[1:], len(file.text)]
    return {d.index: (d.line, begin, end) for d, begin, end in zip(file.documents, begins, ends, strict=True)}


def _read_template(path: str, raw: bytes, limits: Limits) -> tuple[TemplateFile, tuple[Problem, ...]]:
    digest = digest_of(raw)
    if len(raw) > limits.file_bytes:
        facts = (f"{len(raw):,} bytes", f"{limits.file_bytes:,} bytes")
        return TemplateFile(path, "", digest), (Problem(ProblemKind.TOO_LARGE, path, None, "file", facts),)
    text, problems = decode(path, raw)
    text, more = check_text(path, text, limits.problems)
    return TemplateFile(path, text, digest), problems + more
