"""Find the input files of a workspace and read their bytes: once, in order, within budgets."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final

from stowplan.source.faults import EnvironmentFault
from stowplan.source.limits import Limits
from stowplan.source.problems import Problem, ProblemKind

__all__ = ["PACK_SUFFIX", "TEMPLATE_SUFFIX", "YAML_SUFFIXES", "Inputs", "ReadSettings", "digest_of", "read_inputs"]

YAML_SUFFIXES: Final = (".yaml", ".yml")
TEMPLATE_SUFFIX: Final = ".j2"
PACK_SUFFIX: Final = ".pack"
"""Of schema packs, which are kept as bytes."""
_SUFFIXES: Final = (*YAML_SUFFIXES, TEMPLATE_SUFFIX, PACK_SUFFIX)

_OPEN_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Which folders of a workspace are input, and how much of it is read.

    A folder in `folders` has to exist; one in `optional_folders` may be absent.
    """

    folders: tuple[str, ...] = ("fleet",)
    optional_folders: tuple[str, ...] = ("policies", "templates")
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The bytes of all input files by path (relative, forward slashes), sorted by path, and what was not read."""

    contents: Mapping[str, bytes]
    problems: tuple[Problem, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def digests(self) -> dict[str, str]:
        """The digest of every file by path: enough to see that nothing changed, without parsing anything."""
        return {path: digest_of(raw) for path, raw in self.contents.items()}


def digest_of(raw: bytes) -> str:
    """`sha256:` and the hexadecimal digest of some bytes."""
    return f"sha256:{sha256(raw).hexdigest()}"


def read_inputs(root: Path, settings: ReadSettings | None = None) -> Inputs:
    """Read the YAML files, templates, and schema packs below the folders of a workspace.

    Names that start with a dot are not looked at. Symbolic links are followed only where they lead to a file inside
    the workspace.

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
    return Inputs(MappingProxyType(contents), tuple(search.problems), settings.limits)


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
                elif entry.name.endswith(_SUFFIXES) or entry.is_symlink():
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
            try:
                leads_to_folder = entry.is_dir()
            except OSError:  # links that lead in a circle
                self._refuse(path, "a symbolic link that leads nowhere")
                return
            if leads_to_folder:
                self._refuse(path, "a symbolic link to a folder")
                return
            if not entry.name.endswith(_SUFFIXES):
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
            descriptor = os.open(self._root / path, _OPEN_FLAGS)
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
