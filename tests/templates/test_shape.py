"""Shapes: filling one gives the same object and the same text as writing the filled object out."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from stowplan.source.yaml_writer import WriteError, dumps
from stowplan.templates.fill import FillError, part_text
from stowplan.templates.marks import CLOSE, OMIT_MARK, OPEN
from stowplan.templates.shape import Hole, Joined, Node, Shape, filled_key
from stowplan.templates.skeleton import SkeletonError, read_skeleton


def mark(index: int) -> str:
    return f"{OPEN}{index}{CLOSE}"


A, B, C = map(mark, range(3))


def shape_of(skeleton: str, n_holes: int = 3) -> Shape:
    (tree,) = read_skeleton(skeleton)
    return Shape(tree, n_holes)


def filled(skeleton: str, *values: object) -> object:
    shape = shape_of(skeleton, len(values))
    built = shape.build(values)
    assert shape.text(values) == dumps(built)
    assert yaml.load(shape.text(values), yaml.CSafeLoader) == built
    return built


EVIL = "a: b\n- c\n# !!python/object {{ x }}"


@pytest.mark.parametrize(
    ("skeleton", "values", "wanted"),
    [
        (f"k: {A}", (1,), {"k": 1}),
        (f"k: {A}", (None,), {"k": None}),
        (f"k: {A}", ({"z": [1, {}], "a": ()},), {"k": {"a": [], "z": [1, {}]}}),
        (f"k: '{A}'", (1,), {"k": "1"}),
        (f'k: "{A}"', (True,), {"k": "true"}),
        (f'k: "\\t{A}\\n"', ("x",), {"k": "\tx\n"}),
        (f"k: !!str {A}", (8080,), {"k": "8080"}),
        (f"k: {A}-{B}", (1, "x"), {"k": "1-x"}),
        (f"k: {A}{B}", (0, 1.5), {"k": "01.5"}),
        (f"k: {A}", (EVIL,), {"k": EVIL}),
        (f"{A}: v", (EVIL,), {EVIL: "v"}),
        (f"x{A}: v", (EVIL,), {"x" + EVIL: "v"}),
        (f"k: |\n  echo {A}\n  done {B}\n", (EVIL, 2), {"k": f"echo {EVIL}\ndone 2\n"}),
        (f"k: >-\n  one {A}\n  two\n", ("x",), {"k": "one x two"}),
        (f"{A}: 1\nm: 2\n{B}: 3\n", ("z", 5), {"5": 3, "m": 2, "z": 1}),
        (f"k:\n- {A}: 1\n  a: 2\n- [{B}, {{x: {C}}}]\n", ("z", 1, [2]), {"k": [{"a": 2, "z": 1}, [1, {"x": [2]}]]}),
        (f"- {A}\n- {B}\n- - {C}\n", ({"b": 1, "a": [1]}, [[1], 2], {}), [{"a": [1], "b": 1}, [[1], 2], [{}]]),
        (f"k: {OMIT_MARK}\nl: [{OMIT_MARK}, {A}]\n", (1,), {"l": [1]}),
        (f"k: {{l: {OMIT_MARK}}}\n", (), {"k": {}}),
        (f"# {A}\nk: {B}\n", ("unused", 2), {"k": 2}),
        (f"a: &x {{v: {A}}}\nb: *x\n", (1,), {"a": {"v": 1}, "b": {"v": 1}}),
        (A, ({"k": 1},), {"k": 1}),
        (f"{A}", ("x\ny\n",), "x\ny\n"),
        ("k: '007'\nl: 1.50\nm: true\np:\no: é\n", (), {"k": "007", "l": 1.5, "m": True, "p": None, "o": "é"}),
    ],
)
def test_fill__what_a_mark_means_where(skeleton: str, values: tuple[object, ...], wanted: object) -> None:
    assert filled(skeleton, *values) == wanted


@pytest.mark.parametrize(
    "value", ["yes", "1", "null", "~", "", " x", "a: b", "a\nb\n", "- a", "\u0085", '"', "2024-01-02", EVIL]
)
def test_fill__strings_stay_strings(value: str) -> None:
    assert filled(f"k: {A}\nl: [{A}]\nm: {{{A}: 1}}\n", value) == {"k": value, "l": [value], "m": {value: 1}}


def test_fill__every_object_is_its_own() -> None:
    shape = shape_of(f"k: {A}\nl: {{m: [1]}}\n", 1)
    given_list = [1]
    one, other = shape.build((given_list,)), shape.build((given_list,))
    one["k"].append(2)
    one["l"]["m"].append(2)
    assert other == {"k": [1], "l": {"m": [1]}}
    assert given_list == [1]


@pytest.mark.parametrize(
    ("skeleton", "values", "message"),
    [
        (f"{A}: 1\n{B}: 2\n", ("x", "x"), "twice"),
        (f"{A}: 1\nx: 2\n", ("x",), "twice"),
        (f"k: a{A}", (None,), "null cannot be part"),
        (f"k: a{A}", ({},), "a mapping cannot be part"),
        (f"{A}: 1", ([1],), "a list cannot be part"),
        (f"k: {A}", (float("nan"),), "finite"),
        (f"k: {A}", ({1: 2},), "keys of a mapping must be strings"),
        (f"k: {A}", (object(),), "no plain data"),
        (f"k: {A}", (b"x",), "no plain data"),
        (f"{A}: 1", ("k" * 2000,), "longer than YAML readers take"),
    ],
)
def test_fill__what_cannot_be(skeleton: str, values: tuple[object, ...], message: str) -> None:
    shape = shape_of(skeleton, len(values))
    with pytest.raises((FillError, WriteError), match=message):
        shape.text(values)


@pytest.mark.parametrize(
    ("skeleton", "line", "message"),
    [
        ("a: 1\nb: [1, 2\n", 2, "no YAML"),
        ("a: 1\na: 2\n", 1, "twice"),
        ("a: 1\nb: yes\n", 1, "ambiguous"),
        ("a: 0777\n", 0, "ambiguous"),
        ("a: .nan\n", 0, "not finite"),
        ("on: 1\n", 0, "ambiguous"),
        ("a:\n  8080: 1\n", 1, "no string; quote it"),
        ("[a, b]: 1\n", 0, "key must be"),
        ("a: !!python/name:os.system x\n", 0, "tag"),
        ("a: !!map {}\nb: !x {}\n", 1, "tag"),
        ("a: *b\n", 0, "anchor"),
        ("a: &b [*b]\n", 0, "anchor"),
        ("a: &b {}\nc:\n  <<: *b\n", 2, "merge"),
        ('a: "\\ue0000\\ue001"\n', 0, "kept for values"),
        (f"a: x{OMIT_MARK}\n", 0, "omit"),
        (f"a: '{OMIT_MARK}'\n", 0, "omit"),
        (f"{OMIT_MARK}: a\n", 0, "omit"),
        (f"a: {OPEN}\n", 0, "cut in two"),
        ("a: " + "[" * 200 + "]" * 200, 0, "deep"),
        (
            "a: &a [1,1,1,1,1,1,1,1,1]\n"
            + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(8)),
            4,
            "more than 20,000",
        ),
    ],
)
def test_skeleton__mistakes_at_their_line(skeleton: str, line: int, message: str) -> None:
    with pytest.raises(SkeletonError, match=message) as caught:
        read_skeleton(skeleton)
    assert caught.value.line == line


def test_skeleton__several_documents_share_the_values() -> None:
    trees = read_skeleton(f"---\na: {A}\n---\n# nothing\n---\nb: {B}\n")
    assert [Shape(tree, 2).build((1, 2)) for tree in trees] == [{"a": 1}, {"b": 2}]


def test_leaves__paths_with_keys_as_filled() -> None:
    shape = shape_of(f"b: [{A}, x]\n{B}: {{c: {C}y}}\n")
    values = (1, "zone", 2)
    leaves = {tuple(filled_key(step, values) for step in path): node for path, node in shape.leaves()}
    assert leaves == {("b", 0): Hole(0), ("b", 1): "x", ("zone", "c"): Joined((Hole(2), "y"))}


# ---------------------------------------------------------------- any tree, any values

strings = st.one_of(st.text(max_size=8), st.sampled_from(["yes", "1", "a: b", "x\ny\n", " ", "#"]))
scalars = st.one_of(
    strings,
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
parts = st.one_of(strings, st.integers(-9, 9), st.booleans())
whole = st.recursive(
    scalars, lambda i: st.one_of(st.lists(i, max_size=3), st.dictionaries(strings, i, max_size=3)), max_leaves=6
)
holes = st.integers(0, 3).map(Hole)  # 0 to 3 are whole values
joined = st.lists(st.one_of(st.integers(4, 7).map(Hole), strings.filter(bool)), min_size=1, max_size=3).map(
    lambda p: Joined(tuple(p))
)
dynamic_keys = st.integers(4, 7).map(Hole)
nodes: st.SearchStrategy[Node] = st.recursive(
    st.one_of(scalars, holes, joined),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(strings, inner, max_size=3).map(lambda d: {k: d[k] for k in sorted(d)}),
        st.dictionaries(st.one_of(dynamic_keys, joined), inner, max_size=2),
    ),
    max_leaves=12,
)


class Clash(Exception):
    pass


def fill(node: Node, values: list[object]) -> object:
    """The straightforward filling that the compiled functions must equal."""
    if isinstance(node, Hole):
        return values[node.index]
    if isinstance(node, Joined):
        return filled_key(node, values)
    if isinstance(node, list):
        return [fill(item, values) for item in node]
    if isinstance(node, dict):
        pairs = [(filled_key(key, values), fill(value, values)) for key, value in node.items()]
        if len(dict(pairs)) != len(pairs):
            raise Clash
        return dict(pairs)
    return node


@settings(max_examples=400, deadline=None)
@given(nodes, st.lists(whole, min_size=4, max_size=4), st.lists(parts, min_size=4, max_size=4))
def test_any_shape__equals_fill_and_write(tree: Node, wholes: list[object], strings_in: list[object]) -> None:
    values = [*wholes, *strings_in]
    shape = Shape(tree, 8)
    try:
        wanted = fill(tree, values)
    except Clash:
        with pytest.raises(FillError):
            shape.text(values)
        with pytest.raises(FillError):
            shape.build(values)
        return
    assert shape.build(values) == wanted
    assert shape.text(values) == dumps(wanted)


def test_part_text__as_yaml_has_them() -> None:
    assert [part_text(value) for value in ("x", True, False, 3, 1.5, 1e16)] == [
        "x",
        "true",
        "false",
        "3",
        "1.5",
        "1.0e+16",
    ]
