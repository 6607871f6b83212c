"""Places: every value and key of a document is found again, and missing ones fall back to what is there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.source.document import Data
from stowplan.source.files import SourceTree
from stowplan.source.span import Origin, Pointer

TEXT = """\
# comment
kind: Fleet
metadata: {name: aurora, labels: {}}
spec:
  list:
    - one
    - {two: 2}
    - three:
        deep: x
  empty:
  quoted: "a\\tb"
  block: |
    text
  名前: 値
  twice: &t {x: 1}
  alias: *t
---
# second
- a
- b
"""

# document, pointer, at_key, line, the words underlined
PLACES: list[tuple[int, Pointer, bool, int, str]] = [
    (0, ("kind",), False, 2, "Fleet"),
    (0, ("kind",), True, 2, "kind"),
    (0, (), False, 2, "kind"),
    (0, ("metadata",), False, 3, "{name: aurora, labels: {}}"),
    (0, ("metadata", "name"), False, 3, "aurora"),
    (0, ("metadata", "labels"), False, 3, "{}"),
    (0, ("spec",), False, 4, "spec"),
    (0, ("spec", "list"), False, 5, "list"),
    (0, ("spec", "list", 0), False, 6, "one"),
    (0, ("spec", "list", 1), False, 7, "{two: 2}"),
    (0, ("spec", "list", 1, "two"), False, 7, "2"),
    (0, ("spec", "list", 2), False, 8, "three"),
    (0, ("spec", "list", 2, "three", "deep"), False, 9, "x"),
    (0, ("spec", "empty"), False, 10, "empty"),
    (0, ("spec", "quoted"), False, 11, '"a\\tb"'),
    (0, ("spec", "名前"), False, 14, "値"),
    (0, ("spec", "名前"), True, 14, "名前"),
    (0, ("spec", "alias"), False, 16, "*t"),
    (0, ("spec", "alias", "x"), False, 16, "alias"),
    (0, ("spec", "nothing"), False, 4, "spec"),
    (0, ("metadata", "name", "deeper"), False, 3, "name"),
    (0, ("spec", "list", 9), False, 5, "list"),
    (0, ("spec", "list", 1, "x", "y"), False, 7, "{two: 2}"),
    (0, ("nothing", "at", "all"), False, 2, "kind"),
    (0, (0,), False, 2, "kind"),
    (1, (), False, 19, "a"),
    (1, (1,), False, 20, "b"),
    (1, ("x",), False, 19, "a"),
]


@pytest.fixture(scope="module")
def tree() -> SourceTree:
    return SourceTree.from_texts({"fleet/a.yaml": TEXT})


@pytest.mark.parametrize(("document", "pointer", "at_key", "line", "words"), PLACES)
def test_locate(tree: SourceTree, document: int, pointer: Pointer, at_key: bool, line: int, words: str) -> None:
    span = tree.locate(Origin("fleet/a.yaml", document, pointer, at_key))
    assert span is not None
    shown = tree.excerpt("fleet/a.yaml", span.line)
    assert shown is not None and span.end_line == span.line
    assert (span.line, shown[span.column - 1 : span.end_column - 1]) == (line, words)


@pytest.mark.parametrize("origin", [Origin("other.yaml"), Origin("fleet/a.yaml", 2), Origin("fleet/a.yaml", -1)])
def test_locate__nothing_there(tree: SourceTree, origin: Origin) -> None:
    assert tree.locate(origin) is None


@pytest.mark.parametrize(("line", "text"), [(0, None), (1, "# comment"), (20, "- b"), (22, None), (-1, None)])
def test_excerpt(tree: SourceTree, line: int, text: str | None) -> None:
    assert tree.excerpt("fleet/a.yaml", line) == text
    assert tree.excerpt("other.yaml", line) is None


def test_locate__around_a_broken_document() -> None:
    tree = SourceTree.from_texts({"a.yaml": "a: 1\n---\nb: [\n---\n\nc: 3\n"})
    assert tree.locate(Origin("a.yaml", 1, ("b",))) is None
    span = tree.locate(Origin("a.yaml", 2, ("c",)))
    assert span is not None and (span.line, span.column) == (6, 4)


def test_excerpt__line_ends() -> None:
    tree = SourceTree.from_texts({"a.yaml": "a: 1\r\nb: 2\rc: no\n"})
    assert [tree.excerpt("a.yaml", n) for n in (1, 2, 3)] == ["a: 1", "b: 2", "c: no"]
    [problem] = tree.problems
    assert problem.at is not None and (problem.at.line, problem.at.column) == (3, 4)


SCALARS = st.sampled_from(["one", "'two'", '"three"', "4", "é中"])
KEYS = st.sampled_from(["a", "b", "c", "名"])
TREES: st.SearchStrategy[Data] = st.recursive(
    st.sampled_from(["one", "two", "中"]),
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(KEYS, inner, min_size=1, max_size=3),
    max_leaves=10,
)


def paths(data: Data, above: Pointer = ()) -> list[tuple[Pointer, str]]:
    """Every leaf of a tree with the way to it."""
    if isinstance(data, dict):
        return [leaf for key, value in data.items() for leaf in paths(value, (*above, key))]
    if isinstance(data, list):
        return [leaf for index, value in enumerate(data) for leaf in paths(value, (*above, index))]
    return [(above, str(data))]


@settings(max_examples=200, deadline=None, database=None)
@given(TREES, st.booleans())
def test_every_leaf_is_found(data: Data, flow: bool) -> None:
    import yaml

    text = yaml.dump(data, Dumper=yaml.CSafeDumper, allow_unicode=True, default_flow_style=flow, width=30)
    tree = SourceTree.from_texts({"a.yaml": f"# lead\n---\nx: 1\n--- # c\n{text.removesuffix('...' + chr(10))}"})
    for pointer, leaf in paths(data):
        span = tree.locate(Origin("a.yaml", 1, pointer))
        assert span is not None
        line = tree.excerpt("a.yaml", span.line)
        assert line is not None and line[span.column - 1 : span.end_column - 1] == leaf


def test_a_file_of_many_documents_is_searched_in_time() -> None:
    import time

    tree = SourceTree.from_texts(
        {"a.yaml": "---\n".join(f"name: w{n}\nspec: {{a: 1, b: [x, z]}}\n" for n in range(20_000))}
    )
    started = time.process_time()
    for n in range(0, 20_000, 10):
        span = tree.locate(Origin("a.yaml", n, ("spec", "b", 1)))
        assert span is not None and span.line == n * 3 + 2
    assert time.process_time() - started < 5
