"""Input made to hurt: every case ends with documents or problems, in bounded time and memory."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from stowplan.diagnostics.from_source import diagnose_problems
from stowplan.diagnostics.render import render
from stowplan.source.files import SourceTree

MOST_SECONDS = 5.0
MILLION = 10**6


def laughs() -> bytes:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    return "\n".join(lines).encode()


CASES: dict[str, Callable[[], bytes]] = {
    "billion laughs": laughs,
    "10 MB plain scalar": lambda: b"a: " + b"x" * 10 * MILLION,
    "10 MB of digits": lambda: b"a: " + b"9" * 10 * MILLION,
    "10 MB of base sixty": lambda: b"a: 1" + b":1" * 5 * MILLION,
    "10 MB of underscores": lambda: b"a: 1" + b"_" * 10 * MILLION,
    "10 MB quoted scalar": lambda: b'a: "' + b"x" * 10 * MILLION + b'"',
    "10 MB block scalar": lambda: b"a: |\n" + b"  xx\n" * 2 * MILLION,
    "10 MB comment": lambda: b"#" + b"x" * 10 * MILLION,
    "10 MB of zeros": lambda: b"\0" * 10 * MILLION,
    "10 MB anchor": lambda: b"&" + b"a" * 10 * MILLION + b" x",
    "a million open brackets": lambda: b"[" * MILLION,
    "a million open braces": lambda: b"{a: " * MILLION,
    "a million dashes": lambda: b"- " * MILLION,
    "a million question marks": lambda: b"? " * MILLION,
    "a million duplicates": lambda: b"a: 1\n" * MILLION,
    "a million duplicates on one line": lambda: b"{" + b"a," * MILLION + b"}",
    "a million broken documents": lambda: b"--- [\n" * MILLION,
    "a million aliases": lambda: b"a: &a 1\nb: [" + b"*a," * MILLION + b"]",
    "a million ambiguous scalars": lambda: b"- yes\n" * MILLION,
    "a million tags": lambda: b"- !a x\n" * MILLION,
    "broken documents with duplicates": lambda: b"---\na: 1\na: 2\n" * 300_000,
    "bytes that are no text": lambda: b"\xff\xfe\xfd" * MILLION,
    "unclosed brackets, line after line": lambda: b"a: [\n" * 300_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_ends_in_time(name: str) -> None:
    raw = CASES[name]()
    started = time.process_time()
    tree = SourceTree.from_texts({"x.yaml": raw})
    text = render(diagnose_problems(tree.problems), "text", tree)
    used = time.process_time() - started
    assert tree.problems or tree.files[0].documents or name == "10 MB comment"
    assert len(tree.problems) <= 201
    assert len(text) < 100_000
    assert used < MOST_SECONDS, f"{used:.1f} s"


def test_more_than_a_file_may_have() -> None:
    tree = SourceTree.from_texts({"x.yaml": b"a" * (16 * 2**20 + 1)})
    assert [problem.value for problem in tree.problems] == ["file"]
