"""The input of one run: every file of a workspace found, read once, hashed, and kept for looking up places."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from stowplan.source.document import SourceFile, TemplateFile
from stowplan.source.faults import EnvironmentFault
from stowplan.source.limits import Limits
from stowplan.source.locate import DocumentMap, map_document
from stowplan.source.problems import Problem, ProblemKind
from stowplan.source.span import Origin, Span
from stowplan.source.text import check_text, decode, line_starts, split_lines
from stowplan.source.yaml_reader import read_yaml

__all__ = ["ReadSettings", "SourceTree"]

_YAML: Final = (".yaml", ".yml")
_TEMPLATE: Final = ".j2"


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Which folders of a workspace are input, and how much of it is read.

    A folder in `folders` has to exist; one in `optional_folders` may be absent.
    """

    folders: tuple[str, ...] = ("fleet",)
    optional_folders: tuple[str, ...] = ("policies", "templates")
    limits: Limits = field(default_factory=Limits)


class SourceTree:
    """All input files of a workspace, sorted by path (by code point), with what is wrong with them as text.

    Names that start with a dot are not looked at. Symbolic links are followed only where they lead to a file inside
    the workspace.
    """

    def __init__(
        self,
        files: tuple[SourceFile, ...],
        templates: tuple[TemplateFile, ...] = (),
        problems: tuple[Problem, ...] = (),
    ) -> None:
        self.files = files
        self.templates = templates
        self.problems = (*problems, *(problem for file in files for problem in file.problems))
        self._texts = {file.path: file.text for file in files} | {file.path: file.text for file in templates}
        self._files: dict[str, SourceFile] = {file.path: file for file in files}
        self._lines: dict[str, list[str]] = {}
        self._starts: dict[str, list[int]] = {}
        self._maps: dict[tuple[str, int], DocumentMap | None] = {}

    @classmethod
    def read(cls, root: Path, settings: ReadSettings | None = None) -> SourceTree:
        """Read a workspace from disk.

        Raises:
            EnvironmentFault: a folder is missing, or a file or folder cannot be read.
        """
        settings = settings or ReadSettings()
        search = _Search(root, settings.limits)
        for folder in settings.folders:
            search.enter(folder, required=True)
        for folder in settings.optional_folders:
            search.enter(folder, required=False)
        contents = search.read()
        return cls._from_bytes(contents, tuple(search.problems), settings.limits)

    @classmethod
    def from_texts(cls, texts: Mapping[str, str | bytes], limits: Limits | None = None) -> SourceTree:
        """The tree that would be read from files of these paths and contents."""
        contents = {path: text.encode() if isinstance(text, str) else text for path, text in texts.items()}
        return cls._from_bytes(contents, (), limits or Limits())

    @classmethod
    def _from_bytes(cls, contents: Mapping[str, bytes], problems: tuple[Problem, ...], limits: Limits) -> SourceTree:
        found = list(problems)
        files: list[SourceFile] = []
        templates: list[TemplateFile] = []
        for path, raw in sorted(contents.items()):
            if path.endswith(_YAML):
                files.append(read_yaml(path, raw, limits))
            elif path.endswith(_TEMPLATE):
                template, template_problems = _read_template(path, raw, limits)
                templates.append(template)
                found += template_problems
        return cls(tuple(files), tuple(templates), tuple(found))

    def locate(self, origin: Origin) -> Span | None:
        """Where a place of an input document stands in its text.

        A pointer that leads nowhere gives the key of its nearest ancestor; a file or document that was not read
        gives None. The document is parsed again at the first question about it.
        """
        key = (origin.path, origin.document)
        if key not in self._maps:
            self._maps[key] = self._map(*key)
        mapped = self._maps[key]
        return mapped.locate(origin.pointer, at_key=origin.at_key) if mapped else None

    def excerpt(self, path: str, line: int) -> str | None:
        """Line `line` (from 1) of a file without its end, None where there is no such line."""
        if path not in self._lines:
            self._lines[path] = split_lines(self._texts.get(path, ""))
        lines = self._lines[path]
        return lines[line - 1] if path in self._texts and 0 < line <= len(lines) else None

    def _map(self, path: str, index: int) -> DocumentMap | None:
        file = self._files.get(path)
        document = next((d for d in file.documents if d.index == index), None) if file else None
        if file is None or document is None:
            return None
        if path not in self._starts:
            self._starts[path] = line_starts(file.text)
        return map_document(path, file.text[self._starts[path][document.line - 1] :], document.line)


def _read_template(path: str, raw: bytes, limits: Limits) -> tuple[TemplateFile, tuple[Problem, ...]]:
    digest = f"sha256:{sha256(raw).hexdigest()}"
    if len(raw) > limits.file_bytes:
        facts = (f"{len(raw):,} bytes", f"{limits.file_bytes:,} bytes")
        return TemplateFile(path, "", digest), (Problem(ProblemKind.TOO_LARGE, path, None, "file", facts),)
    text, problems = decode(path, raw)
    text, more = check_text(path, text, limits.problems)
    return TemplateFile(path, text, digest), problems + more


class _Search:
    """Finds the input files below a root and reads their bytes within the budgets."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self.problems: list[Problem] = []
        self._root = root
        self._real_root = os.path.realpath(root)
        self._limits = limits
        self._paths: list[str] = []

    def enter(self, folder: str, *, required: bool) -> None:
        """Collect the files below one folder of the root."""
        if not (self._root / folder).is_dir():
            if required:
                what = "is no folder" if (self._root / folder).exists() else "does not exist"
                raise EnvironmentFault(f"`{self._root / folder}` {what}: a workspace has a folder `{folder}`")
            return
        if self._leads_outside(folder):
            self._refuse(folder, "a symbolic link that leads out of the workspace")
            return
        self._walk(folder)

    def _walk(self, top: str) -> None:
        pending = [top]
        while pending:
            folder = pending.pop()
            for entry in self._entries(folder):
                path = f"{folder}/{entry.name}"
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                elif entry.name.endswith((*_YAML, _TEMPLATE)) or entry.is_symlink():
                    self._take(path, entry)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._root / folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            raise EnvironmentFault(f"cannot list `{self._root / folder}`: {_reason(error)}") from error

    def _take(self, path: str, entry: os.DirEntry[str]) -> None:
        if entry.is_symlink():
            if self._leads_outside(path):
                self._refuse(path, "a symbolic link that leads out of the workspace")
                return
            if entry.is_dir():
                self._refuse(path, "a symbolic link to a folder")
                return
            if not entry.name.endswith((*_YAML, _TEMPLATE)):
                return
        if not path.isprintable():
            self._refuse(ascii(path)[1:-1], "a file name with characters that cannot be printed")
        elif len(self._paths) == self._limits.files:
            facts = (f"more than {self._limits.files:,}", f"{self._limits.files:,}")
            self.problems.append(Problem(ProblemKind.TOO_LARGE, path, None, "files", facts))
            self._paths.append("")
        elif len(self._paths) < self._limits.files:
            self._paths.append(path)

    def read(self) -> dict[str, bytes]:
        """The bytes of every file found, by path; reading stops where the budget for all files together ends."""
        contents: dict[str, bytes] = {}
        left = self._limits.total_bytes
        for path in sorted(filter(None, self._paths)):
            raw = self._read_file(path)
            if raw is None:
                continue
            left -= len(raw)
            if left < 0:
                facts = ("more", f"{self._limits.total_bytes:,} bytes")
                self.problems.append(Problem(ProblemKind.TOO_LARGE, path, None, "workspace", facts))
                break
            contents[path] = raw
        return contents

    def _read_file(self, path: str) -> bytes | None:
        """A regular file's bytes, one more than the budget at most; None, with a problem, for anything else."""
        try:
            # Opening a pipe would wait for its other end: look first, without blocking.
            descriptor = os.open(self._root / path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    self._refuse(path, "not a regular file")
                    return None
                return file.read(self._limits.file_bytes + 1)
        except OSError as error:
            raise EnvironmentFault(f"cannot read `{self._root / path}`: {_reason(error)}") from error

    def _leads_outside(self, path: str) -> bool:
        real = os.path.realpath(self._root / path)
        return real != self._real_root and not real.startswith(self._real_root.rstrip(os.sep) + os.sep)

    def _refuse(self, path: str, reason: str) -> None:
        self.problems.append(Problem(ProblemKind.UNUSABLE_FILE, path, None, path, (reason,)))


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
