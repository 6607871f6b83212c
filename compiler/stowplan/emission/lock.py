"""The lock: what one compile read, decided and wrote, as canonical JSON that merges line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Any, Final, NoReturn

from stowplan.diagnostics.model import Diagnostic, Outcome, error
from stowplan.emission.paths import LOCK_NAME, first_problem
from stowplan.source.span import Span

__all__ = ["LOCK_NAME", "SCHEMA_VERSION", "Lock", "digest", "file_digests", "parse_lock", "write_lock"]

SCHEMA_VERSION: Final = 1
_DIGESTS: Final = re.compile(r"(?:sha256:[0-9a-f]{64}\n)*").fullmatch
_DIGEST_LENGTH: Final = len("sha256:") + 64 + 1  # with its line end
_CONFLICT: Final = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Lock:
    """One compile, by what goes in and what comes out.

    `inputs` are the digests of all input files by path; `snapshots` the times (RFC 3339) of the inventory by cluster;
    `assignments` the placement's decisions as plain data, which the next compile keeps where it can; `files` the digests
    of everything written, by path below the tree. Digests read `sha256:` and 64 hexadecimal digits.
    """

    compiler: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    snapshots: Mapping[str, str] = field(default_factory=dict)
    assignments: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def digest(content: bytes) -> str:
    """The digest of one file."""
    return f"sha256:{sha256(content).hexdigest()}"


def file_digests(files: Mapping[str, str | bytes], ready: Mapping[str, str] | None = None) -> dict[str, str]:
    """The digests of all files, sorted by path; files of equal content are digested once.

    `ready` are those that were worked out before.
    """
    known: dict[str | bytes, str] = {}
    digests = dict(ready or {})
    for path in sorted(files.keys() - digests.keys()):
        content = files[path]
        found = known.get(content)
        if found is None:
            found = known[content] = digest(content.encode() if isinstance(content, str) else content)
        digests[path] = found
    return {path: digests[path] for path in sorted(files)}


def write_lock(lock: Lock) -> bytes:
    """The lock's bytes: equal locks give equal bytes, one line a file.

    Raises:
        ValueError: `assignments` is no plain data.
    """
    assignments = json.dumps(dict(lock.assignments), indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    parts = [
        '"assignments": ' + assignments.replace("\n", "\n "),
        '"compiler": ' + _string(lock.compiler),
        '"files": ' + _table(lock.files),
        '"inputs": ' + _table(lock.inputs),
        f'"schemaVersion": {SCHEMA_VERSION}',
        '"snapshots": ' + _table(lock.snapshots),
    ]
    return ("{\n " + ",\n ".join(parts) + "\n}\n").encode()


_string = encode_basestring


def _table(table: Mapping[str, str]) -> str:
    if not table:
        return "{}"
    return "{\n  " + ",\n  ".join([f"{_string(key)}: {_string(table[key])}" for key in sorted(table)]) + "\n }"


class _Wrong(ValueError):
    """What is wrong with a lock, for the diagnostic."""


def parse_lock(path: str, content: bytes) -> Outcome[Lock | None]:
    """The lock, or None and why it cannot be used. `path` is only named, never opened."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return _refused(path, "SP1001", "the lock is not UTF-8 text", 1, 1)
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        return _refused(path, "SP1001", "the lock holds an unresolved merge conflict", line, 1)
    try:
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        return Outcome(_checked(data))
    except json.JSONDecodeError as problem:
        return _refused(path, "SP1001", f"the lock is not JSON: {problem.msg.lower()}", problem.lineno, problem.colno)
    except RecursionError:
        return _refused(path, "SP1001", "the lock is nested too deeply", 1, 1)
    except _NewerError as problem:
        return _refused(path, "SP1002", str(problem), 1, 1)
    except _Wrong as problem:
        return _refused(path, "SP1001", str(problem), 1, 1)


class _NewerError(_Wrong):
    """Another version of the format."""


def _refused(path: str, code: str, message: str, line: int, column: int) -> Outcome[Lock | None]:
    helps = (
        ("compile with the version of stowplan that wrote it, or a newer one",)
        if code == "SP1002"
        else (f"take `{LOCK_NAME}` from the branch whose placements shall be kept, and compile again",)
    )
    found: Diagnostic = error(code, message, Span(path, line, column, line, column + 1), helps=helps)
    return Outcome(None, (found,))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Wrong(f"`{twice}` stands twice in one object of the lock")
    return result


def _no_constant(text: str) -> NoReturn:
    raise _Wrong(f"`{text}` is no number that JSON has")


_KEYS: Final = ("assignments", "compiler", "files", "inputs", "schemaVersion", "snapshots")


def _checked(data: object) -> Lock:
    if not isinstance(data, dict):
        raise _Wrong("the lock is no JSON object")
    version = data.get("schemaVersion")
    if type(version) is not int or version < 1:
        raise _Wrong("the lock does not say its `schemaVersion`")
    if version != SCHEMA_VERSION:
        raise _NewerError(f"the lock has schema version {version}; this stowplan reads {SCHEMA_VERSION}")
    for key in _KEYS:
        if key not in data:
            raise _Wrong(f"the lock lacks `{key}`")
    if unknown := sorted(set(data) - set(_KEYS)):
        raise _Wrong(f"the lock has an unknown field `{unknown[0]}`")
    if not isinstance(data["compiler"], str):
        raise _Wrong("`compiler` must be a string")
    if not isinstance(data["assignments"], dict):
        raise _Wrong("`assignments` must be an object")
    files = _strings(data, "files")
    if found := first_problem(files):
        raise _Wrong(f"the path `{found[0]}` in `files` {found[1]}")
    inputs = _strings(data, "inputs")
    _check_digests("files", files)
    _check_digests("inputs", inputs)
    return Lock(data["compiler"], inputs, _strings(data, "snapshots"), data["assignments"], files)


def _strings(data: Mapping[str, Any], key: str) -> dict[str, str]:
    table = data[key]
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise _Wrong(f"`{key}` must be an object of strings")
    return table


def _check_digests(key: str, table: Mapping[str, str]) -> None:
    if not _are_digests(table.values()):
        path = next(path for path, value in table.items() if not _are_digests((value,)))
        raise _Wrong(f"`{key}` has no sha256 digest for `{path}`")


def _are_digests(values: Collection[str]) -> bool:
    """All of them in one go."""
    text = "\n".join((*values, ""))
    return len(text) == _DIGEST_LENGTH * len(values) and _DIGESTS(text) is not None
