"""The lock: equal locks give equal bytes, what was written is read back, and a damaged lock is a diagnostic."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.emission.lock import Lock, digest, parse_lock, write_lock
from stowplan.source.span import Span

D = digest(b"x")
LOCK = Lock(
    "0.1.0",
    {"fleet/fleet.yaml": D},
    {"eu-west": "2026-01-02T03:04:05Z"},
    {"jobs": {"a": ["eu-west", 1.5, None]}},
    {"b/é.yaml": D, "a.yaml": D},
)


def test_write__canonical_one_line_a_file() -> None:
    text = write_lock(LOCK).decode()
    assert json.loads(text)["files"] == LOCK.files
    assert text.index('"a.yaml"') < text.index('"b/é.yaml"')
    assert f'  "a.yaml": "{D}",\n' in text
    assert text.endswith("}\n")


def test_read__gives_back_what_was_written() -> None:
    outcome = parse_lock("rendered/stowplan.lock", write_lock(LOCK))
    assert outcome.diagnostics == ()
    assert outcome.value == LOCK


tables = st.dictionaries(st.text(max_size=6), st.text(max_size=6), max_size=4)
plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4)),
    lambda i: st.lists(i, max_size=2) | st.dictionaries(st.text(max_size=4), i, max_size=2),
    max_leaves=5,
)


@settings(max_examples=100, deadline=None)
@given(tables, st.dictionaries(st.text(max_size=4), plain, max_size=3))
def test_any_lock__comes_back_and_order_does_not_matter(
    snapshots: dict[str, str], assignments: dict[str, object]
) -> None:
    lock = Lock("1", {}, snapshots, assignments, {"a": D})
    content = write_lock(lock)
    assert parse_lock("l", content).value == lock
    shuffled = Lock("1", {}, dict(reversed(snapshots.items())), dict(reversed(assignments.items())), {"a": D})
    assert write_lock(shuffled) == content


def broken(**changes: object) -> bytes:
    data = json.loads(write_lock(LOCK))
    data.update(changes)
    return json.dumps({key: value for key, value in data.items() if value != "gone"}).encode()


@pytest.mark.parametrize(
    ("content", "code", "line", "words"),
    [
        (b"\xff", "SP1001", 1, "UTF-8"),
        (b"", "SP1001", 1, "not JSON"),
        (b"{\n\n", "SP1001", 3, "not JSON"),
        (b"[]", "SP1001", 1, "no JSON object"),
        (b"{\n<<<<<<< ours\n", "SP1001", 2, "merge conflict"),
        (b'{"a": 1, "a": 2}', "SP1001", 1, "`a` stands twice"),
        (b'{"a": NaN}', "SP1001", 1, "NaN"),
        (b"[" * 100_000, "SP1001", 1, "deep"),
        (broken(schemaVersion=2), "SP1002", 1, "schema version 2"),
        (broken(schemaVersion="1"), "SP1001", 1, "schemaVersion"),
        (broken(schemaVersion=True), "SP1001", 1, "schemaVersion"),
        (broken(files="gone"), "SP1001", 1, "lacks `files`"),
        (broken(more=1), "SP1001", 1, "unknown field `more`"),
        (broken(files={"../../etc/passwd": D}), "SP1001", 1, "`..` segment"),
        (broken(files={"/etc/passwd": D}), "SP1001", 1, "relative path"),
        (broken(files={"a": "sha256:1"}), "SP1001", 1, "no sha256 digest for `a`"),
        (broken(files={"a": D, "b": f"{D}\n{D}"}), "SP1001", 1, "no sha256 digest for `b`"),
        (broken(files={"a": 1}), "SP1001", 1, "object of strings"),
        (broken(inputs=[]), "SP1001", 1, "object of strings"),
        (broken(inputs={"a": "x"}), "SP1001", 1, "no sha256 digest for `a`"),
        (broken(assignments=[]), "SP1001", 1, "`assignments` must be an object"),
        (broken(compiler=1), "SP1001", 1, "`compiler` must be a string"),
    ],
)
def test_read__damage_is_a_diagnostic(content: bytes, code: str, line: int, words: str) -> None:
    outcome = parse_lock("rendered/stowplan.lock", content)
    assert outcome.value is None
    (found,) = outcome.diagnostics
    assert isinstance(found.primary.at, Span)
    assert (found.code, found.primary.at.path, found.primary.at.line) == (code, "rendered/stowplan.lock", line)
    assert words in found.message
    assert found.helps
