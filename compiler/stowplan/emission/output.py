"""What one compile wants on disk: files and the lock that lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stowplan.emission.lock import Lock, write_lock
from stowplan.emission.paths import LOCK_NAME, clashes, first_problem

__all__ = ["OutputTree"]


@dataclass(frozen=True, slots=True)
class OutputTree:
    """Files by relative path with forward slashes, text or bytes, and the lock, whose `files` are their digests."""

    files: Mapping[str, str | bytes]
    lock: Lock

    def contents(self) -> dict[str, bytes]:
        """All bytes by path, the lock among them.

        Raises:
            ValueError: a path may not stand in a tree, or the lock lists other files (a bug: names are checked where
                they are read).
        """
        if found := first_problem(self.files):
            raise ValueError(f"the path `{found[0]}` {found[1]}")
        if pairs := clashes(self.files):
            raise ValueError(f"`{pairs[0][0]}` and `{pairs[0][1]}` cannot stand in one tree")
        if self.lock.files.keys() != self.files.keys():
            raise ValueError("the lock lists other files than the tree has")
        encoded: dict[str | bytes, bytes] = {}
        contents = {}
        for path, text in self.files.items():
            content = encoded.get(text)
            if content is None:
                content = encoded[text] = text.encode() if isinstance(text, str) else text
            contents[path] = content
        contents[LOCK_NAME] = write_lock(self.lock)
        return contents
