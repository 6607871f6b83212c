"""A record of one answered compile: what was said, and which files stood there; as bytes that show when they are damaged."""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass
from hashlib import sha256

__all__ = ["Answer", "Record", "read_record", "write_record"]

_HEX_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Answer:
    """What a compile that changes nothing prints: the findings, where the workloads are, and the line of counts."""

    findings: str
    summary: str
    counts: str


@dataclass(frozen=True, slots=True)
class Record:
    """An answer, and the tree that it stands for.

    `key` is the digest of everything that the answer follows from. `marks` holds four numbers a path (size, time of
    content, time of change, inode); it is empty where the files were too young to be told apart by their times.
    """

    key: str
    answer: Answer
    paths: tuple[str, ...]
    marks: array[int]


def write_record(record: Record) -> bytes:
    """The record as bytes that begin with the digest of the rest."""
    answer = record.answer
    head = json.dumps([record.key, answer.findings, answer.summary, answer.counts, len(record.marks)])
    body = b"\n".join([head.encode(), "\n".join(record.paths).encode(), record.marks.tobytes()])
    return sha256(body).hexdigest().encode() + body


def read_record(content: bytes) -> Record | None:
    """The record, None where the bytes are not what `write_record` made here."""
    body = content[_HEX_LENGTH:]
    if sha256(body).hexdigest().encode() != content[:_HEX_LENGTH]:
        return None
    head, _, rest = body.partition(b"\n")
    key, findings, summary, counts, n_marks = json.loads(head)
    marks: array[int] = array("q")
    size = n_marks * marks.itemsize
    marks.frombytes(rest[len(rest) - size :])
    paths = tuple(rest[: len(rest) - size - 1].decode().split("\n"))
    return Record(key, Answer(findings, summary, counts), paths, marks)
