"""Put a staged tree in the place of the old one: in one step where the system can, else by a journal.

Names beside the tree `rendered`, all of them gone after a run that ends by itself, or after the next one:

    .rendered.stage-PID    the new tree while it is staged; after an exchange in one step, the old tree
    .rendered.old-PID      the old tree, where it takes two steps
    .rendered.journal      the two names above, on one line each, while the two steps are taken
"""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path
from typing import Final

__all__ = ["exchange", "replace_tree", "settle", "stage_name"]

_RENAME_EXCHANGE: Final = 2  # Linux RENAME_EXCHANGE and macOS RENAME_SWAP alike
_AT_FDCWD: Final = -100
_SYSCALL_RENAMEAT2: Final = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "ppc64le": 357, "s390x": 347}
_NOT_SUPPORTED: Final = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)


def stage_name(name: str) -> str:
    """Where this process stages the tree `name`."""
    return f".{name}.stage-{os.getpid()}"


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system or the file system cannot.

    Raises:
        OSError: it can, but failed.
    """
    import ctypes  # only a compile that changes something needs it

    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    if sys.platform == "darwin":
        if not hasattr(library, "renamex_np"):
            return False
        result = library.renamex_np(first, second, _RENAME_EXCHANGE)
    elif hasattr(library, "renameat2"):
        result = library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE)
    elif sys.platform == "linux" and os.uname().machine in _SYSCALL_RENAMEAT2:
        number = ctypes.c_long(_SYSCALL_RENAMEAT2[os.uname().machine])
        result = library.syscall(number, _AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE)
    else:
        return False
    if result == 0:
        return True
    number_of_error = ctypes.get_errno()
    if number_of_error in _NOT_SUPPORTED:
        return False
    raise OSError(number_of_error, os.strerror(number_of_error), str(one), None, str(other))


def replace_tree(root: Path, name: str, *, in_one_step: bool = True) -> Path | None:
    """Put the staged tree in its place; returns where the old tree is now, None if there was none."""
    tree, stage = root / name, root / stage_name(name)
    if not tree.exists():
        stage.rename(tree)
        return None
    if in_one_step and exchange(stage, tree):
        return stage
    old = root / f".{name}.old-{os.getpid()}"
    journal = root / f".{name}.journal"
    _write_journal(journal, stage.name, old.name)
    tree.rename(old)
    try:
        stage.rename(tree)
    except OSError:
        old.rename(tree)
        journal.unlink()
        raise
    journal.unlink()
    return old


def _write_journal(journal: Path, stage: str, old: str) -> None:
    unfinished = journal.with_name(f"{journal.name}-new")
    unfinished.write_text(f"{stage}\n{old}\n", encoding="utf-8")
    unfinished.rename(journal)


def settle(root: Path, name: str) -> tuple[Path, ...]:
    """Finish or undo what a killed run left; returns the folders that are to be thrown away.

    Only to be called while no other run can be at work. Afterwards the tree is whole again, the old one or the new one.
    """
    leavings = re.compile(rf"\.{re.escape(name)}\.(?:stage|old)-[0-9]+\Z")
    journal = root / f".{name}.journal"
    with os.scandir(root) as entries:
        names = sorted(entry.name for entry in entries if entry.name.startswith(f".{name}."))
    if journal.name in names:
        _finish(root / name, journal, leavings)
    if not (root / name).exists():
        _take_back(root / name, [entry for entry in names if re.fullmatch(rf"\.{re.escape(name)}\.old-[0-9]+", entry)])
    for unfinished in (f"{journal.name}-new", journal.name):
        if unfinished in names:
            (root / unfinished).unlink(missing_ok=True)
    folders = (root / entry for entry in names if leavings.match(entry))
    return tuple(folder for folder in folders if _is_real_folder(folder))


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _take_back(tree: Path, names: list[str]) -> None:
    """Without a journal (it never reached the disk) an old tree is better than none."""
    for folder in (tree.parent / name for name in names):
        if _is_real_folder(folder):
            folder.rename(tree)
            return


def _finish(tree: Path, journal: Path, leavings: re.Pattern[str]) -> None:
    """Between the two steps the tree is missing: take the second, or, without a staged tree, take the first one back."""
    names = journal.read_text(encoding="utf-8", errors="replace").splitlines()[:2]
    if tree.exists() or journal.is_symlink() or len(names) < 2 or not all(map(leavings.match, names)):
        return
    for folder in (tree.parent / name for name in names):
        if _is_real_folder(folder):
            folder.rename(tree)
            return
