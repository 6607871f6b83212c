"""Answer a compile from memory where its inputs, its options, the program, and the rendered tree are what they were."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from stowplan.emission.paths import LOCK_NAME
from stowplan.recall.program import program_digest
from stowplan.recall.record import Answer, Record, read_record, write_record
from stowplan.source.faults import EnvironmentFault
from stowplan.source.inputs import Inputs, read_inputs

__all__ = ["Memory", "Question", "ask", "cache_folder", "recall", "remember"]

_RECORDS_KEPT: Final = 32
_YOUNG_NANOSECONDS: Final = 2_000_000_000
"""A file changed this shortly before it was looked at may change again without its times telling."""


@dataclass(frozen=True, slots=True)
class Question:
    """A workspace with the options of a compile, what was read of it, and the digest of all that the answer follows from.

    A compile that is to be remembered must work on these `inputs`, not read others.
    """

    root: Path
    output: str
    options: str
    inputs: Inputs
    facts: str
    lock_digest: str

    @property
    def key(self) -> str:
        """The digest of everything that the answer follows from."""
        return sha256(f"{self.lock_digest}\n{self.facts}".encode(errors="surrogateescape")).hexdigest()

    def with_lock(self, content: bytes) -> Question:
        """The same question of a workspace whose lock holds these bytes."""
        return replace(self, lock_digest=sha256(content).hexdigest())


@dataclass(frozen=True, slots=True)
class Memory:
    """An answer found, and how many files the tree holds besides the lock."""

    answer: Answer
    n_files: int


def cache_folder() -> Path | None:
    """Where records are kept: `stowplan` below XDG_CACHE_HOME, or below `~/.cache`; None where there is no home."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    if stated and Path(stated).is_absolute():
        return Path(stated) / "stowplan"
    try:
        return Path.home() / ".cache" / "stowplan"
    except RuntimeError:
        return None


def ask(root: Path, output: str, options: Iterable[str]) -> Question | None:
    """The question for the workspace as it is now; None where it cannot be answered from memory.

    That is so where an input is no plain readable file, and where a killed run left something.
    """
    try:
        lock = _lock_bytes(root, output) or b""
        if any(name.startswith(f".{output}.") for name in os.listdir(root)):  # noqa: PTH208
            return None
        inputs = read_inputs(root)
        if inputs.problems:
            return None
        stated = "\0".join(options)
        lock_digest = sha256(lock).hexdigest()
        facts = [program_digest(), stated]
        facts += [f"{path}\0{digest}" for path, digest in sorted(inputs.digests.items())]
    except (OSError, EnvironmentFault):
        return None
    return Question(root, output, stated, inputs, "\n".join(facts), lock_digest)


def recall(question: Question) -> Memory | None:
    """The remembered answer, if the tree still holds exactly what the lock says."""
    path = _record_path(question)
    if path is None:
        return None
    try:
        record = read_record(path.read_bytes())
        if record is None or record.key != question.key or not _stands(question, record, path):
            return None
    except (OSError, ValueError, TypeError, EnvironmentFault):
        return None
    return Memory(record.answer, len(record.paths))


def remember(question: Question, answer: Answer, paths: Sequence[str]) -> None:
    """Keeps the answer to a question whose compile changed nothing; a cache that cannot be written is no error."""
    path = _record_path(question)
    if path is not None:
        with suppress(OSError):
            lock = _lock_bytes(question.root, question.output)
            if lock is not None and sha256(lock).hexdigest() == question.lock_digest:
                _keep(path, question, Record(question.key, answer, tuple(paths), array("q")))


def _stands(question: Question, record: Record, path: Path) -> bool:
    """Whether every file is the one it was, by its times, or else by its digest, which gives it new times to go by."""
    if record.marks and _marks(question, record.paths) == record.marks:
        return True
    from stowplan.emission.lock import parse_lock
    from stowplan.emission.tree import verify

    content = _lock_bytes(question.root, question.output)
    lock = parse_lock(LOCK_NAME, content).value if content is not None else None
    if lock is None or tuple(lock.files) != record.paths or verify(question.root, question.output, lock):
        return False
    with suppress(OSError):
        _keep(path, question, record)
    return True


def _marks(question: Question, paths: Iterable[str]) -> array[int]:
    """Size, times, and inode of every file; a missing one raises OSError."""
    prefix = f"{question.root / question.output}/"
    lstat = os.lstat
    found: list[int] = []
    for path in paths:
        known = lstat(prefix + path)
        found += (known.st_size, known.st_mtime_ns, known.st_ctime_ns, known.st_ino)
    return array("q", found)


def _keep(path: Path, question: Question, record: Record) -> None:
    """Writes a record whole or not at all; the times of young files are left out, by the clock of the file system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    marks = _marks(question, record.paths)
    unfinished.write_bytes(b"")
    try:
        now = unfinished.stat().st_mtime_ns
        is_young = max(marks[2::4], default=0) > now - _YOUNG_NANOSECONDS
        unfinished.write_bytes(write_record(replace(record, marks=array("q") if is_young else marks)))
        unfinished.rename(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    _prune(path.parent)


def _prune(folder: Path) -> None:
    records = [entry for entry in folder.iterdir() if entry.is_file()]
    if len(records) > _RECORDS_KEPT:
        for old in sorted(records, key=lambda entry: entry.stat().st_mtime_ns)[: len(records) - _RECORDS_KEPT]:
            old.unlink(missing_ok=True)


def _record_path(question: Question) -> Path | None:
    """One record a workspace and set of options: what is remembered of an older state is overwritten."""
    folder = cache_folder()
    if folder is None:
        return None
    place = f"{os.path.realpath(question.root)}\0{question.output}\0{question.options}"
    return folder / sha256(place.encode(errors="surrogateescape")).hexdigest()[:32]


def _lock_bytes(root: Path, output: str) -> bytes | None:
    """The lock of a rendered tree that is a folder of its own; None where there is none."""
    tree = root / output
    if tree.is_symlink() or not tree.is_dir():
        return None
    try:
        return (tree / LOCK_NAME).read_bytes()
    except FileNotFoundError:
        return None
