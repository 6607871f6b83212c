"""Say whether a relative path is one that a rendered tree may hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

__all__ = ["LOCK_NAME", "OUTPUT", "ancestors", "clashes", "first_problem", "path_problem"]

LOCK_NAME: Final = "stowplan.lock"
OUTPUT: Final = "rendered"
"""Folder of the rendered tree below the workspace root."""

_MAX_SEGMENT: Final = 255  # bytes, the limit of every common file system
_MAX_PATH: Final = 1024
_FORBIDDEN: Final = re.compile(r"[\x00-\x1f\x7f\\]").search


def path_problem(path: str) -> str | None:
    """Why `path` (relative, forward slashes) may not stand in the tree; None if it may."""
    if not path or path.startswith("/") or _FORBIDDEN(path):
        return "is no relative path of printable characters and forward slashes"
    if path == LOCK_NAME:
        return "is the name of the lock itself"
    for segment in path.split("/"):
        if segment in ("", ".", ".."):
            return "has an empty, `.` or `..` segment"
        if len(segment) > _MAX_SEGMENT // 4 and len(segment.encode(errors="replace")) > _MAX_SEGMENT:
            return f"has a segment of more than {_MAX_SEGMENT} bytes"
    if len(path) > _MAX_PATH:
        return f"is longer than {_MAX_PATH:,} characters"
    return None if path.isprintable() else "is no relative path of printable characters and forward slashes"


def ancestors(path: str) -> Iterator[str]:
    """The folders that `path` lies in, innermost first."""
    while (cut := path.rfind("/")) > 0:
        path = path[:cut]
        yield path


def first_problem(paths: Collection[str]) -> tuple[str, str] | None:
    """The first path that may not stand in a tree, and why; all are looked at in one go, which is what makes it fast."""
    if not paths:
        return None
    text = "\n".join(paths)
    segments = text.replace("/", "\n").split("\n")
    if (
        text.count("\n") == len(paths) - 1
        and max(map(len, segments)) <= _MAX_SEGMENT // 4
        and max(map(len, paths)) <= _MAX_PATH
        and _SUSPICIOUS.isdisjoint(segments)
        and "\\" not in text
        and text.replace("\n", "").isprintable()
    ):
        return None
    return next(((path, problem) for path in paths if (problem := path_problem(path))), None)


_SUSPICIOUS: Final = frozenset(("", ".", "..", LOCK_NAME))  # segments that need a closer look


def clashes(paths: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of paths that cannot both be files everywhere: equal but for case, or one a folder of the other."""
    folded = {path.casefold() for path in paths}
    folders: set[str] = set()
    for path in folded:
        for folder in ancestors(path):
            if folder in folders:
                break
            folders.add(folder)
    if len(folded) == len(paths) and folded.isdisjoint(folders):
        return ()
    return _name_clashes(sorted(paths))


def _name_clashes(ordered: list[str]) -> tuple[tuple[str, str], ...]:
    by_folded: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for path in ordered:
        other = by_folded.setdefault(path.casefold(), path)
        if other != path:
            found.append((other, path))
    for path in ordered:
        found += [(by_folded[a], path) for a in ancestors(path.casefold()) if a in by_folded]
    return tuple(found)
