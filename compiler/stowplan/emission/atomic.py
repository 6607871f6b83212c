"""Write a tree so that it is the old one or the new one at every moment, and leave alone what has not changed."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from stowplan.emission.lock import Lock
from stowplan.emission.output import OutputTree
from stowplan.emission.paths import LOCK_NAME, ancestors
from stowplan.emission.swap import replace_tree, settle, stage_name
from stowplan.emission.tree import Found, find, holds, owned_files
from stowplan.source.faults import EnvironmentFault

__all__ = ["EmitReport", "emit", "exclusive"]


@dataclass(frozen=True, slots=True)
class EmitReport:
    """What one emission did, as sorted paths below the tree; the lock itself is not listed.

    `replaced` are written files that had stood there without being in the old lock: somebody else's, overwritten.
    `foreign_kept` are files that are not ours and stay.
    """

    written: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    foreign_kept: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    is_new_lock: bool = False

    @property
    def changed_anything(self) -> bool:
        """Whether anything was written at all."""
        return bool(self.written or self.removed or self.is_new_lock)


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be done, before anything is done."""

    contents: Mapping[str, bytes]
    found: Found
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    foreign: tuple[str, ...]
    replaced: tuple[str, ...]


def emit(
    root: Path,
    name: str,
    files: Mapping[str, str | bytes],
    lock: Lock,
    *,
    in_one_step: bool = True,
) -> EmitReport:
    """Make `root/name` hold exactly `files` and the lock, beside whatever is not ours.

    Only files that the lock on disk lists are removed. A run that changes nothing touches nothing. `in_one_step` False
    takes the way of systems that cannot exchange two folders.

    Raises:
        EnvironmentFault: no permission, disk full, another run at work, something in the way; the old tree is whole.
        ValueError: a path in `files` may not stand in a tree (a bug: names are checked where they are read).
    """
    contents = OutputTree(files, lock).contents()
    try:
        with exclusive(root):
            return _emit(root, name, contents, in_one_step)
    except OSError as problem:
        raise EnvironmentFault(_explain(root, name, problem)) from problem


def _emit(root: Path, name: str, contents: Mapping[str, bytes], in_one_step: bool) -> EmitReport:
    for folder in settle(root, name):
        _remove(folder)
    tree = root / name
    if tree.is_symlink() or (tree.exists() and not tree.is_dir()):
        raise EnvironmentFault(f"`{name}` is no folder of its own; remove it, or say where to write instead")
    work = _compare(tree, contents)
    if work.changed or work.removed:
        _write(root, name, work, in_one_step)
    written = tuple(path for path in work.changed if path != LOCK_NAME)
    n_unchanged = len(contents) - 1 - len(written)
    return EmitReport(
        written, n_unchanged, work.removed, work.foreign, work.replaced, is_new_lock=LOCK_NAME in work.changed
    )


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """Keep other runs out of `root`; the system lets go of it even when this process is killed.

    Raises:
        EnvironmentFault: another run is at work.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EnvironmentFault(f"another stowplan is writing in `{root}`; try again when it is done") from None
        yield
    finally:
        os.close(descriptor)


def _compare(tree: Path, contents: Mapping[str, bytes]) -> _Work:
    found = find(tree)
    prefix = f"{tree}/"
    there = found.files
    changed = [path for path, content in contents.items() if path not in there or not holds(prefix + path, content)]
    owned = owned_files(tree, found) if LOCK_NAME in changed else frozenset(contents)
    removed = sorted(path for path in owned if path in there and path not in contents)
    known = there.union(found.others)
    foreign = sorted(known.difference(contents, removed))
    _check_room(contents, foreign)
    overwritten = sorted(known.intersection(changed) - owned - {LOCK_NAME})
    return _Work(contents, found, tuple(sorted(changed)), tuple(removed), tuple(foreign), tuple(overwritten))


def _check_room(contents: Mapping[str, bytes], foreign: list[str]) -> None:
    """Refuse when a foreign file stands where a folder must be, or a foreign file lies where a file must be."""
    if not foreign:
        return
    foreign_set = frozenset(foreign)
    for path in contents:
        if blocked := next((a for a in ancestors(path) if a in foreign_set), None):
            raise EnvironmentFault(f"`{blocked}` is in the way of the folder for `{path}`; it is not ours to remove")
    for path in foreign:
        if blocked := next((a for a in ancestors(path) if a in contents), None):
            raise EnvironmentFault(f"`{path}` is in the way of the file `{blocked}`; it is not ours to remove")


def _write(root: Path, name: str, work: _Work, in_one_step: bool) -> None:
    stage = root / stage_name(name)
    try:
        _stage(root / name, stage, work)
        old = replace_tree(root, name, in_one_step=in_one_step)
    except BaseException:
        if stage.exists() and not (root / f".{name}.journal").exists():
            with suppress(OSError):
                _remove(stage)
        raise
    if old is not None:
        _discard(old, work, root / name)


def _stage(tree: Path, stage: Path, work: _Work) -> None:
    stage.mkdir()
    if tree.exists():
        stage.chmod(tree.stat().st_mode & 0o7777)
    changed = frozenset(work.changed)
    kept = [*(path for path in work.contents if path not in changed), *work.foreign]
    _make_folders(stage, [*kept, *work.changed], work.found)
    old, new = f"{tree}/", f"{stage}/"
    for path in kept:
        _link(old + path, new + path)
    for path in work.changed:
        _create(new + path, work.contents[path])
    _restore_modes(stage, work.found)


def _make_folders(stage: Path, paths: list[str], found: Found) -> None:
    """Every folder of the new tree: those of its files, and empty ones that were there and are not ours."""
    occupied = _folders_of([*found.files, *found.others])
    wanted = _folders_of(paths)
    empty = [folder for folder in found.folders if folder not in occupied and folder not in wanted]
    for folder in sorted({*wanted, *empty, *_folders_of(empty)}):
        os.mkdir(f"{stage}/{folder}")  # noqa: PTH102


def _folders_of(paths: Iterable[str]) -> set[str]:
    folders: set[str] = set()
    for path in paths:
        for folder in ancestors(path):
            if folder in folders:
                break
            folders.add(folder)
    return folders


def _restore_modes(stage: Path, found: Found) -> None:
    """Give folders back the permissions they had, where they differ from those of a new folder."""
    usual = next(((stage / f).stat().st_mode & 0o7777 for f in found.folders if (stage / f).is_dir()), None)
    for folder, mode in found.folders.items():
        if mode != usual and (stage / folder).is_dir():
            (stage / folder).chmod(mode)


_NO_LINKS = (errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV)


def _link(old: str, new: str) -> None:
    """The same file under another name; a copy with its times where the file system has no hard links."""
    try:
        os.link(old, new, follow_symlinks=False)
    except (OSError, NotImplementedError) as problem:
        if isinstance(problem, OSError) and problem.errno not in _NO_LINKS:
            raise
        shutil.copy2(old, new, follow_symlinks=False)


def _create(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
    finally:
        os.close(descriptor)


def _discard(old: Path, work: _Work, new: Path) -> None:
    """Remove the old tree; what came into it after it was looked at moves to the new one."""
    known = work.found.files.union(work.found.others)
    for path in sorted(find(old).files - known):
        target = new / path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            (old / path).rename(target)
    _remove(old)


def _remove(folder: Path) -> None:
    """Remove a tree of ours, folders without write permission included."""
    try:
        shutil.rmtree(folder)
    except PermissionError:
        for inner in [folder, *(folder / path for path in sorted(find(folder).folders))]:
            inner.chmod(0o700)
        shutil.rmtree(folder)


def _explain(root: Path, name: str, problem: OSError) -> str:
    """One line for a person: what failed, on what, and that nothing is lost."""
    where = problem.filename if isinstance(problem.filename, str) else str(root)
    reason = problem.strerror or str(problem)
    return f"cannot write `{name}`: {reason} (`{where}`); what was there before is unchanged"
