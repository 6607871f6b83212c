"""Inline suppressions: what they take away, and what is said of those that do nothing."""

from __future__ import annotations

import pytest

from stowplan.diagnostics.model import error, warning
from stowplan.diagnostics.suppression import apply_suppressions, find_suppressions
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin

CODES = {code: code for code in ("SP0501", "SP0502", "SP0102")} | {"gpu-model-not-offered": "SP0502"}
FOUND = (error("SP0502", "on a", Origin("x.yaml", 0, ("a",))), error("SP0501", "on b", Origin("x.yaml", 0, ("b",))))

# text, messages that stay, (code, line) of what is said about suppressions
CASES: dict[str, tuple[str, list[str], list[tuple[str, int]]]] = {
    "none": ("a: 1\nb: 2\n", ["on a", "on b"], []),
    "on the line": ("a: 1  # stowplan: allow[SP0502] known\nb: 2\n", ["on b"], []),
    "by name": ("a: 1  # stowplan: allow[gpu-model-not-offered] known\nb: 2\n", ["on b"], []),
    "line above": ("# stowplan: allow[SP0502] known\n\n# more\na: 1\nb: 2\n", ["on b"], []),
    "two codes": ("a: 1  # stowplan: allow[SP0502, SP0501] known\nb: 2\n", ["on b"], [("SP0105", 1)]),
    "two comments": ("a: 1  # stowplan: allow[SP0502] x\nb: 2 # stowplan: allow[SP0501] y\n", [], []),
    "another line": ("a: 1\nb: 2  # stowplan: allow[SP0502] known\n", ["on a", "on b"], [("SP0105", 2)]),
    "no reason": ("a: 1  # stowplan: allow[SP0502]\nb: 2\n", ["on a", "on b"], [("SP0114", 1)]),
    "blank reason": ("a: 1  # stowplan: allow[SP0502]   \nb: 2\n", ["on a", "on b"], [("SP0114", 1)]),
    "unknown code": ("a: 1  # stowplan: allow[SP0599] known\nb: 2\n", ["on a", "on b"], [("SP0105", 1)]),
    "no code": ("a: 1  # stowplan: allow[] known\nb: 2\n", ["on a", "on b"], [("SP0105", 1)]),
    "never": ("a: 1  # stowplan: allow[SP0102] known\nb: 2\n", ["on a", "on b"], [("SP0105", 1)]),
    "no comment": ("a: 1\nb: 'stowplan: allow[SP0502] x'\n", ["on a", "on b"], []),
    "at the end": ("a: 1\nb: 2\n# stowplan: allow[SP0502] known\n", ["on a", "on b"], [("SP0105", 3)]),
}


@pytest.mark.parametrize("name", CASES)
def test_apply(name: str) -> None:
    text, kept, complaints = CASES[name]
    tree = SourceTree.from_texts({"x.yaml": text})
    after = apply_suppressions(FOUND, tree.files, tree.locate, CODES)
    assert [d.message for d in after if d in FOUND] == kept
    said = [d for d in after if d not in FOUND]
    assert [
        (d.code, d.primary.at.line) for d in said if d.primary.at and not isinstance(d.primary.at, Origin)
    ] == complaints
    assert len(said) == len(complaints)


def test_apply__findings_about_yaml_stay() -> None:
    tree = SourceTree.from_texts({"x.yaml": "a: 1  # stowplan: allow[SP0102] known\n"})
    found = (error("SP0102", "duplicate", Origin("x.yaml", 0, ("a",))),)
    assert found[0] in apply_suppressions(found, tree.files, tree.locate, CODES)


def test_apply__findings_without_text_stay() -> None:
    tree = SourceTree.from_texts({"x.yaml": "a: 1  # stowplan: allow[SP0502] known\n"})
    found = (warning("SP0502", "m", subject="cluster/x"), warning("SP0502", "m", Origin("y.yaml")))
    assert apply_suppressions(found, tree.files, tree.locate, CODES)[:2] == found


def test_unknown_code__did_you_mean() -> None:
    tree = SourceTree.from_texts({"x.yaml": "a: 1  # stowplan: allow[gpu-model-not-ofered] known\n"})
    [complaint] = apply_suppressions((), tree.files, tree.locate, CODES)
    assert complaint.helps == ("did you mean `gpu-model-not-offered`?",)


def test_find__places_and_reasons() -> None:
    tree = SourceTree.from_texts({"x.yaml": "a: 1\nb: '#'  # stowplan:allow[SP0501,SP0502]  two words \n"})
    [found] = find_suppressions(tree.files[0])
    assert (found.codes, found.reason, found.line) == (("SP0501", "SP0502"), "two words", 2)
    assert (found.at.line, found.at.column) == (2, 9)
