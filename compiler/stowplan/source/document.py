"""Input files as values: text, digest, and the plain data of each YAML document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from stowplan.source.problems import Problem

__all__ = ["Data", "Document", "SourceFile", "TemplateFile"]

Data: TypeAlias = "dict[str, Data] | list[Data] | str | int | float | bool | None"
"""What a document holds. Aliased parts are one shared object: treat it all as read-only."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file.

    `index` counts the documents of the file from 0, broken and empty ones included. `line` (from 1) is where the
    document starts: its `---`, or its first token where it has none. Positions below it come from `SourceTree.locate`.
    """

    path: str
    index: int
    line: int
    data: Data


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A YAML file that was read once.

    `path` is relative to the workspace root with forward slashes; `digest` is `sha256:` and the hex digest of the
    bytes on disk; `documents` holds those that parsed and are not empty.
    """

    path: str
    text: str
    digest: str
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A template: text that only the template engine understands. `digest` as in `SourceFile`."""

    path: str
    text: str
    digest: str
