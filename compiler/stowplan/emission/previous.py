"""Read the tree that stands there before a compile writes: only files that are asked for, only as the lock knows them."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from stowplan.emission.lock import Lock, digest
from stowplan.model.previous import PreviousFile, PreviousTree
from stowplan.source.canonical_yaml import NotCanonical, read_canonical
from stowplan.source.limits import Limits
from stowplan.source.yaml_reader import read_yaml

__all__ = ["previous_tree"]

_LIMIT: Final = Limits().file_bytes


def previous_tree(folder: Path, lock: Lock, name: str) -> PreviousTree:
    """The tree below `folder` as its lock lists it; files are read when asked for, equal ones are parsed once."""
    known: dict[str, PreviousFile] = {}

    def read(path: str) -> PreviousFile:
        wanted = lock.files.get(path, "")
        file = known.get(wanted)
        if file is not None and file.object is not None:
            return file
        file = known[wanted] = _read(f"{folder}/{path}", path, wanted)
        return file

    return PreviousTree(name, lock.files, read)


def _read(place: str, path: str, wanted: str) -> PreviousFile:
    """Whatever is wrong with a file, its object is not known; what the lock did not write is nobody's word."""
    try:
        content = _content(place)
    except FileNotFoundError:
        return PreviousFile(None, "is missing")
    except OSError as problem:
        return PreviousFile(None, f"cannot be read: {(problem.strerror or str(problem)).lower()}")
    if len(content) > _LIMIT:
        return PreviousFile(None, f"is larger than {_LIMIT:,} bytes")
    if digest(content) != wanted:
        return PreviousFile(None, "is not what the lock says: it was edited by hand")
    found = _parse(path, content)
    return PreviousFile(found) if found is not None else PreviousFile(None, "holds no object that can be read")


def _content(place: str) -> bytes:
    """A regular file's bytes, one more than the limit at most; links are not followed, pipes not waited for."""
    descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("no regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(_LIMIT + 1)
    finally:
        os.close(descriptor)


def _parse(path: str, content: bytes) -> Mapping[str, Any] | None:
    """The object in a file; None where it holds none, or several."""
    try:
        data: Any = read_canonical(content.decode())
    except (NotCanonical, UnicodeDecodeError, RecursionError):
        file = read_yaml(path, content)
        data = file.documents[0].data if len(file.documents) == 1 and not file.problems else None
    metadata = data.get("metadata") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(metadata, dict):
        return None
    name, namespace = metadata.get("name"), metadata.get("namespace")
    texts = (data.get("apiVersion"), data.get("kind"), name, "" if namespace is None else namespace)
    return data if all(isinstance(text, str) for text in texts) and name else None
