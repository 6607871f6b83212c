"""The YAML reader: what it accepts, what it refuses and where."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.source.limits import Limits
from stowplan.source.problems import ProblemKind
from stowplan.source.yaml_reader import read_yaml

K = ProblemKind

# text, then each problem as (kind, line, column, value)
REFUSED: dict[str, tuple[str | bytes, list[tuple[ProblemKind, int, int, str]]]] = {
    "duplicate in a block": ("a: 1\nb: 2\na: 3\n", [(K.DUPLICATE_KEY, 3, 1, "a")]),
    "duplicate in a flow": ("x: {a: 1, b: 2, a: 3}\n", [(K.DUPLICATE_KEY, 1, 17, "a")]),
    "duplicate in quotes": ("a: 1\n'a': 2\n\"a\": 3\n", [(K.DUPLICATE_KEY, 2, 1, "a"), (K.DUPLICATE_KEY, 3, 1, "a")]),
    "duplicate below": ("- a:\n    b: 1\n    b: 2\n", [(K.DUPLICATE_KEY, 3, 5, "b")]),
    "duplicate in the second document": ("a: 1\n---\nb: 1\nb: 1\n", [(K.DUPLICATE_KEY, 4, 1, "b")]),
    "unknown tag": ("a: !foo x\n", [(K.UNSUPPORTED_TAG, 1, 4, "!foo")]),
    "python tag": ("a: !!python/object:os.system x\n", [(K.UNSUPPORTED_TAG, 1, 4, "!!python/object:os.system")]),
    "tag on a mapping": ("a: !!set {x: ~}\n", [(K.UNSUPPORTED_TAG, 1, 4, "!!set")]),
    "tag that lies": ("a: !!int text\nb: !!int '5'\n", [(K.UNSUPPORTED_TAG, 1, 4, "!!int"), (K.UNSUPPORTED_TAG, 2, 4, "!!int")]),
    "renamed tag": ("%TAG !! tag:example.com,2000:\n---\na: !!str x\n", [(K.UNSUPPORTED_TAG, 3, 4, "tag:example.com,2000:str")]),
    "non-specific tag": ("a: ! 12\n", [(K.UNSUPPORTED_TAG, 1, 4, "!")]),
    "switches": ("a: yes\nb: [no, on]\n", [(K.AMBIGUOUS_SCALAR, 1, 4, "yes"), (K.AMBIGUOUS_SCALAR, 2, 5, "no"), (K.AMBIGUOUS_SCALAR, 2, 9, "on")]),
    "ambiguous twice": ("- no\n- no\n", [(K.AMBIGUOUS_SCALAR, 1, 3, "no"), (K.AMBIGUOUS_SCALAR, 2, 3, "no")]),
    "ambiguous key": ("on: push\n", [(K.AMBIGUOUS_SCALAR, 1, 1, "on")]),
    "infinity": ("a: -.inf\n", [(K.NUMBER, 1, 4, "-.inf")]),
    "long integer": ("a: 9223372036854775808\n", [(K.NUMBER, 1, 4, "9223372036854775808")]),
    "integer key": ("8080: http\n", [(K.NON_STRING_KEY, 1, 1, "8080")]),
    "boolean key": ("a: {true: 1}\n", [(K.NON_STRING_KEY, 1, 5, "true")]),
    "null key": ("? \n: 1\n", [(K.NON_STRING_KEY, 1, 2, "")]),
    "collection key": ("? [a, b]\n: 1\nc: no\n", [(K.NON_STRING_KEY, 1, 3, ""), (K.AMBIGUOUS_SCALAR, 3, 4, "no")]),
    "alias key": ("a: &a x\n*a : 1\n", [(K.NON_STRING_KEY, 2, 1, "")]),
    "merge key": ("a: &a {x: 1}\nb:\n  <<: *a\n", [(K.MERGE_KEY, 3, 3, "")]),
    "undefined alias": ("a: *all\n", [(K.ALIAS, 1, 4, "all")]),
    "alias of another document": ("a: &x 1\n---\nb: *x\n", [(K.ALIAS, 3, 4, "x")]),
    "alias in its own anchor": ("a: &x [1, *x]\n", [(K.ALIAS, 1, 11, "x")]),
    "two syntax errors": ("a: [1\nb: 2\n---\nc: ok\n---\nd: '\n", [(K.INVALID_YAML, 2, 2, ""), (K.INVALID_YAML, 7, 1, "")]),
    "tab": ("a:\n\tb: 1\n", [(K.INVALID_YAML, 2, 1, "")]),
    "unaligned": ("a:\n  b: 1\n c: 2\n", [(K.INVALID_YAML, 3, 2, "")]),
    "latin-1": (b"a: J\xf6rg\n", [(K.INVALID_ENCODING, 1, 5, "f6")]),
    "cut short": (b"a: \xe4\xb8", [(K.INVALID_ENCODING, 1, 4, "e4 b8")]),
    "surrogates in utf-8": (b"a: \xed\xa0\x80", [(K.INVALID_ENCODING, 1, 4, "ed")]),
    "utf-16": ("a: 1".encode("utf-16"), [(K.INVALID_ENCODING, 0, 0, "")]),
    "byte order mark": (b"\xef\xbb\xbfa: no\n", [(K.INVALID_ENCODING, 1, 1, ""), (K.AMBIGUOUS_SCALAR, 1, 4, "no")]),
    "control character": ("a: x\x07y\nb: no\n", [(K.FORBIDDEN_CHARACTER, 1, 5, "U+0007"), (K.AMBIGUOUS_SCALAR, 2, 4, "no")]),
    "escape sequence": ("# \x1b[2J\na: 1\n", [(K.FORBIDDEN_CHARACTER, 1, 3, "U+001B")]),
    "line separator": ("a: 1 # b\u2028c: 1\n", [(K.FORBIDDEN_CHARACTER, 1, 9, "U+2028")]),
    "next line": ("a: x\u0085\n", [(K.FORBIDDEN_CHARACTER, 1, 5, "U+0085")]),
    "right to left": ("a: \u202exyz\n", [(K.FORBIDDEN_CHARACTER, 1, 4, "U+202E")]),
    "template mark": ("a: x\ue000\n", [(K.FORBIDDEN_CHARACTER, 1, 5, "U+E000")]),
    "template mark as an escape": ('a: "\\uE001"\n', [(K.FORBIDDEN_CHARACTER, 1, 4, "U+E001")]),
    "template mark as a long escape": ('a: "\\U0000e000"\n', [(K.FORBIDDEN_CHARACTER, 1, 4, "U+E000")]),
    "several of all": ("a: no\nb: 1\nb: !x 2\n", [(K.AMBIGUOUS_SCALAR, 1, 4, "no"), (K.DUPLICATE_KEY, 3, 1, "b"), (K.UNSUPPORTED_TAG, 3, 4, "!x")]),
    "duplicate before an error": ("a: 1\na: 2\nb: [\n", [(K.DUPLICATE_KEY, 2, 1, "a"), (K.INVALID_YAML, 4, 1, "")]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, expected = REFUSED[name]
    file = read_yaml("x.yaml", text if isinstance(text, bytes) else text.encode())
    assert [(p.kind, p.at.line if p.at else 0, p.at.column if p.at else 0, p.value) for p in file.problems] == expected
    assert all(p.path == "x.yaml" for p in file.problems)


ACCEPTED: dict[str, tuple[str, list[tuple[int, int, object]]]] = {
    "one document": ("a: 1\nb: [x, 'no', 2.5, true, null]\n", [(0, 1, {"a": 1, "b": ["x", "no", 2.5, True, None]})]),
    "several": ("a: 1\n---\nb: 2\n---\nc: 3\n", [(0, 1, {"a": 1}), (1, 2, {"b": 2}), (2, 4, {"c": 3})]),
    "empty ones are counted": ("---\n---\n# c\n---\na: 1\n", [(2, 4, {"a": 1})]),
    "comments only": ("# a\n\n# b\n", []),
    "nothing": ("", []),
    "comment first": ("# c\n\na: 1\n", [(0, 3, {"a": 1})]),
    "document end": ("a: 1\n...\n---\nb: 2\n", [(0, 1, {"a": 1}), (1, 3, {"b": 2})]),
    "directive": ("%YAML 1.2\n---\na: 1\n", [(0, 1, {"a": 1})]),
    "on the marker's line": ("--- {a: 1}\n", [(0, 1, {"a": 1})]),
    "core tags": ("a: !!str 012\nb: !!int 5\nc: !!map {}\nd: !!seq []\n", [(0, 1, {"a": "012", "b": 5, "c": {}, "d": []})]),
    "block scalars": ("a: |\n  yes\nb: >-\n  no\n", [(0, 1, {"a": "yes\n", "b": "no"})]),
    "aliases": ("a: &x {k: [1]}\nb: *x\nc: &y no1\nd: *y\n", [(0, 1, {"a": {"k": [1]}, "b": {"k": [1]}, "c": "no1", "d": "no1"})]),
    "redefined anchor": ("a: &x 1\nb: &x 2\nc: *x\n", [(0, 1, {"a": 1, "b": 2, "c": 2})]),
    "quoted merge": ("'<<': 1\n", [(0, 1, {"<<": 1})]),
    "crlf": ("a: 1\r\nb:\r\n  - 2\r\n", [(0, 1, {"a": 1, "b": [2]})]),
    "wide characters": ("名: 前\n🚀: '\\u0041'\n", [(0, 1, {"名": "前", "🚀": "\\u0041"})]),
    "a scalar": ("just text\n", [(0, 1, "just text")]),
    "escapes": ('a: "\\t\\x41\\u00e9"\n', [(0, 1, {"a": "\tAé"})]),
    "marker inside a block scalar": ("a: |\n  ---\n  b\nc: 1\n", [(0, 1, {"a": "---\nb\n", "c": 1})]),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    text, expected = ACCEPTED[name]
    file = read_yaml("x.yaml", text.encode())
    assert file.problems == ()
    assert [(d.index, d.line, d.data) for d in file.documents] == expected
    assert file.digest.startswith("sha256:") and len(file.digest) == 71


def test_documents_around_a_broken_one_survive() -> None:
    file = read_yaml("x.yaml", b"a: 1\n---\nb: [\n---\nc: 3\n")
    assert [(d.index, d.line, d.data) for d in file.documents] == [(0, 1, {"a": 1}), (2, 4, {"c": 3})]


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "x: {a: 1, b: 2, a: 3}\n", "---\nq: 1\n---\na:\n  b: 1\n  b: 2\n"])
def test_duplicate__names_the_first_place(text: str) -> None:
    [problem] = read_yaml("x.yaml", text.encode()).problems
    assert problem.at is not None and problem.related is not None
    assert problem.related < problem.at
    lines = text.split("\n")
    for span in (problem.at, problem.related):
        assert lines[span.line - 1][span.column - 1 : span.end_column - 1] == problem.value


BUDGETS: dict[str, tuple[str, Limits, str]] = {
    "depth": ("[[[[1]]]]\n", Limits(depth=3), "depth"),
    "aliases": ("a: &a 1\nb: [*a, *a, *a]\n", Limits(aliases=2), "aliases"),
    "expansion": ("a: &a [1, 2, 3]\nb: &b [*a, *a]\nc: [*b, *b]\n", Limits(nodes=15), "expanded aliases"),
    "values": ("[1, 2, 3, 4]\n", Limits(nodes=3), "values"),
    "bytes": ("a: 1\n", Limits(file_bytes=4), "file"),
}


@pytest.mark.parametrize("name", BUDGETS)
def test_budgets(name: str) -> None:
    text, limits, what = BUDGETS[name]
    assert read_yaml("x.yaml", text.encode()).problems == ()
    [problem] = read_yaml("x.yaml", text.encode(), limits).problems
    assert (problem.kind, problem.value) == (ProblemKind.TOO_LARGE, what)


def test_problems_are_counted_too() -> None:
    file = read_yaml("x.yaml", b"- no\n" * 50, Limits(problems=10))
    assert len(file.problems) == 11
    assert file.problems[-1].kind is ProblemKind.TOO_MANY_PROBLEMS


PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Co", "Cn")), max_size=8),
)  # fmt: skip
DATA = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abyn01.-", max_size=4), inner, max_size=4), max_leaves=12
)  # fmt: skip


@settings(max_examples=300, deadline=None, database=None)
@given(DATA)
def test_reads_what_pyyaml_writes(data: object) -> None:
    """PyYAML quotes for YAML 1.1; what it leaves plain must mean the same here, or be refused as ambiguous."""
    text = yaml.dump(data, Dumper=yaml.CSafeDumper, allow_unicode=True, default_style=None)
    file = read_yaml("x.yaml", text.encode())
    kinds = {problem.kind for problem in file.problems}
    assert kinds <= {ProblemKind.AMBIGUOUS_SCALAR}
    if not kinds and data is not None:
        [document] = file.documents
        assert document.data == data


@settings(max_examples=500, deadline=None, database=None)
@given(st.text(st.sampled_from("ab:-[]{},&*!|>'\"%@`#? \n\t~<0x1_.éé\u2028\\"), max_size=60))
def test_any_text_gives_documents_or_problems(text: str) -> None:
    file = read_yaml("x.yaml", text.encode())
    lines = text.replace("\r", "").split("\n")
    for problem in file.problems:
        assert problem.at is None or 1 <= problem.at.line <= len(lines) + 1
    try:
        expected = list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError):
        return
    if not file.problems:
        assert [d.data for d in file.documents] == [d for d in expected if d is not None]


@settings(max_examples=300, deadline=None, database=None)
@given(st.binary(max_size=80))
def test_any_bytes_give_documents_or_problems(raw: bytes) -> None:
    read_yaml("x.yaml", raw)
