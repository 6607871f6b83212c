"""Reads the files of recorded verdicts, whole or in part, packed or plain, and keeps what is said of each."""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = os.environ.get("STOWPLAN_CORPUS", "")
LINES: list[str] = []
"""`FILE AGREED/TOTAL` and remarks, in the order they came; shown at the end of the run."""
SHOWN_MISSES = 40


def find(name: str) -> Path:
    """The file `name`, or the same without `.xz`; the test is skipped if neither is there."""
    if not FOLDER:
        pytest.skip("STOWPLAN_CORPUS names no folder")
    for path in (Path(FOLDER) / name, Path(FOLDER) / name.removesuffix(".xz")):
        if path.is_file():
            return path
    pytest.skip(f"{name} is not in the folder that STOWPLAN_CORPUS names")


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines, without the one that describes them."""
    path = find(name)
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as stream:
        for line in stream:
            if line.strip() and "meta" not in (row := json.loads(line)):
                yield row


def document(name: str) -> Any:
    """A file that is one JSON value."""
    path = find(name)
    content = path.read_bytes()
    return json.loads(lzma.decompress(content) if path.suffix == ".xz" else content)


def remark(text: str) -> None:
    """A line of its own among the results."""
    LINES.append(f"    {text}")


def told(name: str, agreed: int, total: int, share: float, misses: Iterable[str] = ()) -> None:
    """Record a result, and fail the test if less agrees than stated; without rows it is skipped."""
    if not total:
        pytest.skip(f"{name} has no such rows")
    LINES.append(f"{name} {agreed}/{total}")
    found = list(misses)
    for miss in found[:SHOWN_MISSES]:
        remark(miss[:400])
    assert agreed >= share * total, f"{name}: {agreed} of {total} agree, stated are {share:.2%}: {found[:20]}"
