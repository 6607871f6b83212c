"""Tell one state of the program from another: its own files, and the folder that its libraries are installed in."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from pathlib import Path

from stowplan.resources import builtin_folder
from stowplan.version import __version__

__all__ = ["program_digest"]

_PACKAGE = str(Path(__file__).resolve().parent.parent)


def program_digest() -> str:
    """Changes with every edit, upgrade, or reinstallation of the program, its data, or a library; reads no file.

    Raises:
        EnvironmentFault: the installation lacks a folder.
        OSError: a folder cannot be read.
    """
    facts = [__version__, sys.version, sys.prefix]
    folders = dict.fromkeys([_PACKAGE, *(str(builtin_folder(name)) for name in ("templates", "packs"))])
    for folder in folders:
        facts.extend(_facts_below(folder))
    for folder in sys.path:
        if folder.endswith("site-packages"):
            facts.append(f"{folder} {os.stat(folder).st_mtime_ns}" if os.path.isdir(folder) else folder)  # noqa: PTH112, PTH116
    return sha256("\n".join(facts).encode(errors="surrogateescape")).hexdigest()


def _facts_below(folder: str) -> list[str]:
    """Name, size, and time of every file below a folder, compiled bytecode aside."""
    found = []
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name == "__pycache__":
                    continue
                if entry.is_dir():
                    waiting.append(entry.path)
                else:
                    known = entry.stat()
                    found.append(f"{entry.path} {known.st_size} {known.st_mtime_ns}")
    found.sort()
    return found
