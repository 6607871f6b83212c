"""What later passes say of a place that could not be read is an echo; everything else is heard."""

from __future__ import annotations

import pytest

from stowplan.diagnostics.echoes import without_echoes
from stowplan.diagnostics.from_source import diagnose_problems
from stowplan.diagnostics.model import error
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin, Pointer, Span


@pytest.mark.parametrize(
    ("text", "pointer", "at_key", "is_echo"),
    [
        ("a: no\nb: 1\n", ("a",), False, True),
        ("a: no\nb: 1\n", ("b",), False, False),
        ("a: no\nb: 1\n", ("a",), True, False),
        ("8080: x\nb: 1\n", ("8080",), True, True),
        ("a: *x\nb: 1\n", ("a",), False, True),
        ("a: !x 1\nb: 1\n", ("a",), False, True),
        ("a: {b: [x, no]}\n", ("a", "b", 1), False, True),
        ("a: {b: [x, no]}\n", ("a", "b", 0), False, False),
        ("a: {b: [x, no]}\n", ("a", "b"), False, True),
    ],
)
def test_echo(text: str, pointer: Pointer, at_key: bool, is_echo: bool) -> None:
    tree = SourceTree.from_texts({"x.yaml": text, "y.yaml": "a: 1\n"})
    reading = diagnose_problems(tree.problems)
    assert len(reading) == 1
    later = error("SP0203", "wrong type", Origin("x.yaml", 0, pointer, at_key))
    others = (
        error("SP0203", "m", Origin("y.yaml")),
        error("SP0203", "m", subject="s"),
        error("SP0203", "m", Span("x.yaml", 9, 1, 9, 2)),
    )
    found = without_echoes((*reading, later, *others), tree.locate)
    assert found == (*reading, *(() if is_echo else (later,)), *others)
