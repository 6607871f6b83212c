"""Formatting: even, idempotent, and never at the cost of data or comments."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.source.formatting import format_yaml, try_format
from stowplan.source.yaml_reader import read_yaml

FORMATTED = {
    "indentation": ("a:\n    b:   1\n    c:\n    - x\n    -   z: 1\n        w: 2\n", "a:\n  b: 1\n  c:\n    - x\n    - z: 1\n      w: 2\n"),
    "comments": ("# top\n\na: 1   # one\n# before b\nb:\n    # inside\n    c: 2\n# end\n", "# top\n\na: 1   # one\n# before b\nb:\n    # inside\n  c: 2\n# end\n"),
    "quotes and numbers": ("a:  'x'\nb:  \"z\"\nc: 0x1F\nd: 1.10\ne: 1.\n", "a: 'x'\nb: \"z\"\nc: 0x1F\nd: 1.10\ne: 1.\n"),
    "nulls": ("a: ~\nb:\nc: null\n", "a: null\nb: null\nc: null\n"),
    "markers": ("--- # first\na:  1\n---\n# only a comment\n---\nb:  2\n", "--- # first\na: 1\n---\n# only a comment\n---\nb: 2\n"),
    "block scalars": ("a: |\n      x\n       z\nb: >-\n    one\n    two\n", "a: |\n  x\n   z\nb: >-\n  one\n  two\n"),
    "flow": ("a: {b:  1, c: [1,2 , 3]}\n", "a: {b: 1, c: [1, 2, 3]}\n"),
    "aliases": ("a:   &x {k: 1}\nb: *x\n", "a: &x {k: 1}\nb: *x\n"),
    "line ends": ("a:\r\n    b: 1\r\n\r\n\r\n", "a:\n  b: 1\n"),
    "no final line end": ("a: 1", "a: 1\n"),
    "blank first lines": ("\n\na: 1\n", "a: 1\n"),
    "sequence at the top": ("-   a\n-   b: 1\n    c: 2\n", "- a\n- b: 1\n  c: 2\n"),
    "long lines": ("a:  " + "word " * 60 + "\n", "a: " + "word " * 59 + "word\n"),
    "key order": ("z: 1\na:  2\n", "z: 1\na: 2\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATTED)
def test_formatted(name: str) -> None:
    text, expected = FORMATTED[name]
    result = try_format(text)
    assert result.left_because is None
    assert result.text == expected
    assert format_yaml(expected) == expected


LEFT = {
    "a: no\n": "cannot be read",
    "a: [\n": "cannot be read",
    "a: 1\na: 2\n": "cannot be read",
    "%YAML 1.2\n---\na:   1\n": "directives",
    "a:   1\n...\n": "document end marks",
    "--- {a:   1}\n": "on the line of its",
    "[1,   2,\n # c\n 3]\n": "lose a comment",
}


@pytest.mark.parametrize(("text", "reason"), LEFT.items())
def test_left_alone(text: str, reason: str) -> None:
    result = try_format(text)
    assert result.text == text
    assert reason in (result.left_because or "")
    assert bool(result.problems) == (reason == "cannot be read")


LINES = st.sampled_from(
    ["a: 1", "b:", "  c: 'x'", "    d: 2  # note", "# comment", "", "  - e", "  - f: 1", "    g: ~", "---", "h: |", "  text",
     "i: {j: 1, k: [2]}", "- l", "- - m", "n: >", "  folded", "  # inner", 'o: "p\\n"', "--- # r"]
)  # fmt: skip


@settings(max_examples=400, deadline=None, database=None)
@given(st.lists(LINES, max_size=12))
def test_any_text__same_data_and_idempotent(lines: list[str]) -> None:
    text = "\n".join(lines)
    result = format_yaml(text)
    assert format_yaml(result) == result
    before, after = read_yaml("x", text.encode()), read_yaml("x", result.encode())
    assert [d.data for d in before.documents] == [d.data for d in after.documents]
    assert result.count("#") == text.count("#")


def test_example_workspace_is_formatted() -> None:
    folder = os.environ.get("STOWPLAN_EXAMPLES")
    if not folder:
        pytest.skip("STOWPLAN_EXAMPLES is not set")
    for path in sorted((Path(folder) / "workspace").rglob("*.yaml")):
        result = try_format(path.read_text())
        assert (result.text, result.left_because) == (path.read_text(), None), path.name
