"""Whether a name that a user chose can become part of a path inside the output tree."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["LONGEST_COMPONENT", "collisions", "why_no_component", "why_no_path"]

LONGEST_COMPONENT: Final = 200
"""Bytes of UTF-8 in one component; file systems end at 255, and temporary names need room."""

_LONGEST_PATH: Final = 900
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
_SEPARATORS: Final = frozenset("/\\")
_WINDOWS: Final = frozenset('<>:"|?*')


def why_no_component(name: str) -> str | None:
    """Why `name` cannot be a file or folder name on every system, in words that follow "it"; None where it can."""
    if not name:
        return "is empty"
    if name in (".", ".."):
        return "leads out of its folder"
    if any(character in _SEPARATORS for character in name):
        return "contains a path separator"
    if not name.isprintable():
        return "contains characters that cannot be printed"
    if bad := next((character for character in name if character in _WINDOWS), None):
        return f"contains `{bad}`, which Windows does not allow in file names"
    if name[0] in ".-~ ":
        return f"starts with `{name[0]}`"
    if name[-1] in ". ":
        return f"ends with `{name[-1]}`"
    if _RESERVED.fullmatch(name):
        return "is a device name on Windows"
    if unicodedata.normalize("NFC", name) != name:
        return "is not in Unicode's composed form (NFC)"
    if len(name.encode()) > LONGEST_COMPONENT:
        return f"is longer than {LONGEST_COMPONENT} bytes"
    return None


def why_no_path(path: str) -> str | None:
    """Why `path` (forward slashes, relative) cannot be a file inside the output tree; None where it can."""
    if len(path.encode(errors="surrogatepass")) > _LONGEST_PATH:
        return f"is longer than {_LONGEST_PATH} bytes"
    if path.startswith("/"):
        return "is an absolute path"
    for component in path.split("/"):
        if reason := why_no_component(component):
            return reason if "/" not in path else f"has a part `{component}` that {reason}"
    return None


def collisions(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of different paths that a file system without letter case or Unicode forms takes for one.

    Each later path (in sorted order) comes with the first that it collides with; a path that is also the folder of
    another one is a collision too.
    """
    first: dict[str, str] = {}
    folders: dict[str, str] = {}
    ordered = sorted(set(paths))
    for path in ordered:
        key = _folded(path)
        if key in first:
            yield path, first[key]
        first.setdefault(key, path)
        for end in (index for index, character in enumerate(key) if character == "/"):
            folders.setdefault(key[:end], path)
    for path in ordered:
        if (inside := folders.get(_folded(path))) is not None:
            yield inside, path


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
