"""Problems in words: every kind has a code of its own, and says what to do."""

from __future__ import annotations

import re

import pytest

from stowplan.diagnostics.from_source import diagnose_problem, diagnose_problems
from stowplan.diagnostics.model import Diagnostic, Severity
from stowplan.source.files import SourceTree
from stowplan.source.limits import Limits
from stowplan.source.problems import Problem, ProblemKind
from stowplan.source.span import Span

# text, code, message, what a help or a note has to say
WORDS = [
    ("a: 1\na: 2\n", "SP0102", "duplicate key `a`", "keep one"),
    ("a: !x 1\n", "SP0103", "unsupported YAML tag `!x`", "remove the tag"),
    ("a: no\n", "SP0104", "ambiguous plain scalar `no`", "write `false` if it is a boolean"),
    ("a: On\n", "SP0104", "ambiguous plain scalar `On`", "write `true` if it is a boolean"),
    ("a: 012\n", "SP0104", "ambiguous plain scalar `012`", "write `12` if it is a number"),
    ("a: 0o14\n", "SP0104", "ambiguous plain scalar `0o14`", "write `12` if it is a number"),
    ("a: 1_000\n", "SP0104", "ambiguous plain scalar `1_000`", "write `1000` if it is a number"),
    ("a: 1e3\n", "SP0104", "ambiguous plain scalar `1e3`", "write `1000.0` if it is a number"),
    ("a: 1:30\n", "SP0104", "ambiguous plain scalar `1:30`", "a number in base 60 in YAML 1.1, a string in YAML 1.2"),
    ("a: 2026-11-01\n", "SP0104", "ambiguous plain scalar `2026-11-01`", "quote it if it is text"),
    (b"a: \xff\n", "SP0106", "bytes `ff` are not UTF-8", "save the file as UTF-8"),
    (b"\xef\xbb\xbfa: 1\n", "SP0106", "file starts with a byte order mark", "without a mark"),
    (b"\xff\xfea\0", "SP0106", "file is UTF-16, not UTF-8", "save the file as UTF-8"),
    ("a: \u202e\n", "SP0107", "forbidden character U+202E", "order"),
    ("a: \u2028\n", "SP0107", "forbidden character U+2028", "YAML 1.1 ends a line"),
    ("a: \ue001\n", "SP0107", "forbidden character U+E001", "template"),
    ("a: \x07\n", "SP0107", "forbidden character U+0007", "cannot be seen"),
    ("1: a\n", "SP0108", "mapping key `1` is an integer, not a string", "quotes"),
    ("? [a]\n: b\n", "SP0108", "mapping key is a collection or an alias", "keys are strings"),
    ("a: {<<: {}}\n", "SP0109", "merge keys are not supported", "write the entries out"),
    ("a: *b\n", "SP0110", "undefined alias `*b`", "define `&b`"),
    ("a: &b [*b]\n", "SP0110", "alias `*b` stands inside what it refers to", ""),
    ("a: .nan\n", "SP0111", "`.nan` is a number that is not finite", "quote it"),
    ("a: b: c\n", "SP0101", "invalid YAML: mapping values are not allowed in this context", "quote text that contains `: `"),
    ("a:\n\t- b\n", "SP0101", "invalid YAML: found character that cannot start any token", "indent with spaces"),
    ('a: "\\q"\n', "SP0101", "invalid YAML: found unknown escape character", "single quotes"),
    ("a: @b\n", "SP0101", "invalid YAML: found character that cannot start any token", "quote text"),
    ("a: [1\n", "SP0101", "invalid YAML: did not find expected ',' or ']'", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message", "advice"), WORDS)
def test_words(text: str | bytes, code: str, message: str, advice: str) -> None:
    [diagnostic] = diagnose_problems(SourceTree.from_texts({"x.yaml": text}).problems)
    assert (diagnostic.code, diagnostic.message, diagnostic.severity) == (code, message, Severity.ERROR)
    assert advice in "; ".join(diagnostic.notes + diagnostic.helps)


def one_of_each() -> list[Diagnostic]:
    at = Span("x.yaml", 1, 1, 1, 2)
    details = {
        ProblemKind.INVALID_YAML: ("what", "while"), ProblemKind.AMBIGUOUS_SCALAR: ("a", "b", "c"),
        ProblemKind.TOO_LARGE: ("1", "2"),
    }  # fmt: skip
    values = {ProblemKind.TOO_LARGE: "file", ProblemKind.FORBIDDEN_CHARACTER: "U+0007"}
    return [
        diagnose_problem(Problem(kind, "x.yaml", place, values.get(kind, "v" * 500), details.get(kind, ("x",))))
        for kind in ProblemKind
        for place in (at, None)
    ]


def test_every_kind_has_its_own_code_and_keeps_to_the_style() -> None:
    diagnostics = one_of_each()
    assert len({diagnostic.code for diagnostic in diagnostics}) == len(ProblemKind)
    for diagnostic in diagnostics:
        assert re.fullmatch(r"(?:[a-z`]|invalid YAML).*[^.\n]", diagnostic.message), diagnostic.message
        assert len(diagnostic.message) < 200
        assert (diagnostic.subject is None) == (diagnostic.primary.at is not None)


def test_every_budget_has_words() -> None:
    limits = Limits(depth=2, aliases=1, nodes=5, file_bytes=60, problems=3)
    texts = {
        "a.yaml": "[[[1]]]\n", "b.yaml": "a: &a 1\nb: [*a, *a]\n", "c.yaml": "a: &a [1, 2, 3]\nb: *a\n",
        "d.yaml": "[1, 2, 3, 4, 5, 6]\n", "e.yaml": "a" * 61, "f.yaml": "[no, no, no, no]\n",
    }  # fmt: skip
    found = diagnose_problems(SourceTree.from_texts(texts, limits).problems)
    messages = [d.message for d in found if d.code in ("SP0112", "SP0115")]
    assert messages == [
        "document is nested too deeply",
        "too many aliases",
        "document grows too large when its aliases are followed",
        "too many values in one file",
        "file of 61 bytes is too large",
        "3 problems in this file, the rest of it was not judged",
    ]
