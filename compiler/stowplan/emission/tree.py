"""See what a tree on disk holds, and how it differs from what it should hold; symbolic links are never followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stowplan.emission.lock import LOCK_NAME, Lock, digest, parse_lock
from stowplan.source.faults import EnvironmentFault

__all__ = ["Found", "TreeDifferences", "compare", "find", "holds", "owned_files", "verify"]


@dataclass(frozen=True, slots=True)
class Found:
    """What lies below a folder, by relative path with forward slashes.

    `files` are regular files; `others` are symbolic links and special files; `folders` are all folders with their
    permission bits.
    """

    files: frozenset[str]
    others: tuple[str, ...]
    folders: Mapping[str, int]


def find(folder: Path) -> Found:
    """Everything below `folder`; nothing when it does not exist.

    Raises:
        OSError: a folder cannot be read.
    """
    files: list[str] = []
    folders: dict[str, int] = {}
    others: list[str] = []
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            entries = os.scandir(folder / prefix)
        except FileNotFoundError:
            if prefix:
                raise
            return Found(frozenset(), (), {})
        with entries:
            for entry in entries:
                path = f"{prefix}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    folders[path] = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
                    waiting.append(f"{path}/")
                elif entry.is_file(follow_symlinks=False):
                    files.append(path)
                else:
                    others.append(path)
    return Found(frozenset(files), tuple(sorted(others)), folders)


def holds(path: str, content: bytes) -> bool:
    """Whether the regular file at `path` holds exactly these bytes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return (
            os.read(descriptor, len(content) + 1) == content
            if len(content) < _ONE_READ
            else _read(descriptor) == content
        )
    finally:
        os.close(descriptor)


_ONE_READ = 2**20


def _read(descriptor: int) -> bytes:
    pieces = []
    while piece := os.read(descriptor, _ONE_READ):
        pieces.append(piece)
    return b"".join(pieces)


@dataclass(frozen=True, slots=True)
class TreeDifferences:
    """How a tree differs from what it should be, as sorted paths.

    `edited` files are there with other bytes; `left_over` are files that the lock on disk lists but nobody wants.
    """

    missing: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    left_over: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.edited or self.left_over)


def owned_files(folder: Path, found: Found) -> frozenset[str]:
    """The files that the lock on disk lists; none where there is no lock that can be read."""
    if LOCK_NAME not in found.files:
        return frozenset()
    lock = parse_lock(LOCK_NAME, _content(f"{folder}/{LOCK_NAME}")).value
    return frozenset(lock.files) if lock is not None else frozenset()


def compare(root: Path, name: str, contents: Mapping[str, bytes]) -> TreeDifferences:
    """The tree `root/name` against what it should hold (`OutputTree.contents`). Writes nothing.

    Raises:
        EnvironmentFault: the tree cannot be read.
    """
    folder = root / name
    try:
        found = find(folder)
        there = found.files
        missing = [path for path in contents if path not in there]
        edited = [path for path in contents if path in there and not holds(f"{folder}/{path}", contents[path])]
        left_over = [path for path in owned_files(folder, found) if path in there and path not in contents]
    except OSError as problem:
        raise EnvironmentFault(f"cannot read `{name}`: {problem}") from problem
    return TreeDifferences(tuple(sorted(missing)), tuple(sorted(edited)), tuple(sorted(left_over)))


def verify(root: Path, name: str, lock: Lock) -> TreeDifferences:
    """The tree `root/name` against the digests in its lock: what somebody edited or removed by hand.

    Raises:
        EnvironmentFault: the tree cannot be read.
    """
    folder = root / name
    try:
        found = find(folder)
        missing = [path for path in lock.files if path not in found.files]
        edited = [
            path
            for path, wanted in lock.files.items()
            if path in found.files and digest(_content(f"{folder}/{path}")) != wanted
        ]
    except OSError as problem:
        raise EnvironmentFault(f"cannot read `{name}`: {problem}") from problem
    return TreeDifferences(tuple(sorted(missing)), tuple(sorted(edited)))


def _content(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return _read(descriptor)
    finally:
        os.close(descriptor)
