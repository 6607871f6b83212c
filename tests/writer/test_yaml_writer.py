"""The canonical writer: what any YAML reader gets back is what was written, and equal values give equal bytes."""

from __future__ import annotations

import io
import math
from types import MappingProxyType

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from stowplan.source.scalars import resolve_plain
from stowplan.source.yaml_writer import MAX_DEPTH, WriteError, dumps, needs_quotes

# Strings that at least one reader takes for something else when they stand bare, or that are hard to write.
TRAPS = [
    "yes", "no", "on", "off", "y", "n", "Y", "N", "Yes", "No", "On", "OFF", "true", "True", "TRUE", "false", "null",
    "Null", "NULL", "~", "=", "<<", "NaN", "nan", ".nan", ".NaN", ".inf", "-.inf", "+.INF", "1", "0", "-1", "+1",
    "01", "0777", "08", "0x1f", "0X1F", "0o17", "0O17", "0b1", "0B1", "1_000", "1__0", "_1", "1.", ".5", "1.5",
    "-1.5", "1.2.3", "100m", "1e3", "12e5", "7e1", "0e0", "1E+3", "1:30", "12:30:45", "190:20:30.15", "1:90",
    "2024-01-02", "2024-1-2", "2024-01-02T03:04:05Z", "2024-01-0x", "2024-01-02 03:04:05", "", " ", " lead",
    "trail ", "\tlead", "trail\t", "a\tb", "-", "--", "---", "--- x", "...", "... x", "- x", "-x", "?", "? a", "?a",
    ":", ":a", ": a", "a:", "a: b", "a:b", "a #b", "a#b", "#c", "{a", "}a", "[a", "]a", "*a", "&a", "!a", "!!str a",
    "%a", "@a", "`a", "'a", '"a', "a'b", 'a"b', "|", ">", ",", "a, b", "a\\b", "\\n", "a]b", "{{ x }}", "a\nb",
    "a\n", "\n", "\n\n", "a\n\n", "a\n\nb", "a\n b\n", " a\nb", "a \nb", "a\n \nb", "a\n  ", "\na", "a\r\nb",
    "a\rb", "a\n#b", "a\n---\nb\n", "a\n\tb", "\ta\nb", "a: b\n- c", "a\u2028b\nc", "é中", "🚀", "\x85", "a\x85b",
    "\u2028", "\xa0x", "\ufeff", "\ufffe", "\x00", "\x07", "\x1b[31m", "\x7f", "\u200b", "x" * 3000,
    ("word " * 300).strip(), "\ue0000\ue001",
]  # fmt: skip


def read_by_everyone(text: str) -> list[object]:
    """The document as PyYAML (C and Python, YAML 1.1) and ruamel.yaml (1.1 and 1.2) read it."""
    values: list[object] = [yaml.load(text, yaml.CSafeLoader), yaml.load(text, yaml.SafeLoader)]
    for version in ((1, 1), (1, 2)):
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        values.append(reader.load(io.StringIO(text)))
    return values


def same(left: object, right: object) -> bool:
    """Equal in value and in every type, so that 1, 1.0 and true stay apart."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right


@pytest.mark.parametrize("text", TRAPS, ids=lambda t: ascii(t)[:40])
def test_traps__read_back_by_every_reader_in_every_place(text: str) -> None:
    objects: list[object] = [{"k": text}, {"k": [text, [text]]}, {"k": {"l": [{"m": text, "n": text}]}}]
    if len(text) < 900:
        objects += [{text: 1}, [{text: text}]]
    for value in objects:
        for read in read_by_everyone(dumps(value)):
            assert same(read, value)


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "1.2.3",
        "100m",
        "a#b",
        "a:b",
        ":a",
        "-x",
        "?a",
        "é中",
        "🚀",
        "_1",
        "1:90",
        "http://x:80/y?z=1",
        "a'b",
        "v1.2",
    ],
)
def test_strings_that_nobody_misreads_stay_bare(text: str) -> None:
    assert not needs_quotes(text)
    assert dumps({"k": text}) == f"k: {text}\n"


@pytest.mark.parametrize("text", [trap for trap in TRAPS if not needs_quotes(trap)], ids=ascii)
def test_bare_strings_are_strings_to_the_strict_reader(text: str) -> None:
    assert resolve_plain(text) == text


def test_layout__keys_sorted_sequences_at_their_key_literals_kept() -> None:
    value = {
        "b": [{"z": 1, "x": [[1, 2], []]}, {}, "t"],
        "a": {"script": "one\ntwo\n", "tail": "one\ntwo"},
        "c": {},
        "d": None,
    }
    assert dumps(value) == (
        "a:\n  script: |\n    one\n    two\n  tail: |-\n    one\n    two\n"
        "b:\n- x:\n  -\n    - 1\n    - 2\n  - []\n  z: 1\n- {}\n- t\nc: {}\nd: null\n"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e16, "1.0e+16"),
        (1e-7, "1.0e-07"),
        (1.5, "1.5"),
        (-0.0, "-0.0"),
        (True, "true"),
        (None, "null"),
        (2**63 - 1, "9223372036854775807"),
        ([], "[]"),
        ({}, "{}"),
    ],
)
def test_scalars__canonical(value: object, text: str) -> None:
    assert dumps({"k": value}) == f"k: {text}\n"
    assert all(same(read, {"k": value}) for read in read_by_everyone(dumps({"k": value})))


def deep(levels: int) -> object:
    value: object = 1
    for i in range(levels):
        value = {"k": value} if i % 2 else [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        {1: 2},
        {"a": 1, 2: 3},
        {None: 1},
        object(),
        {"a"},
        b"x",
        2**64,
        -(2**63) - 1,
        "\ud800",
        {"k" * 1001: 1},
        deep(5000),
        1j,
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_cannot_be_written_is_refused(value: object) -> None:
    with pytest.raises(WriteError):
        dumps({"k": value})


def test_depth__the_deepest_allowed_is_written() -> None:
    value = deep(MAX_DEPTH)
    assert yaml.load(dumps({"k": value}), yaml.CSafeLoader) == {"k": value}


def test_tuples_and_read_only_mappings_are_written_like_lists_and_dicts() -> None:
    assert dumps(MappingProxyType({"a": (1, MappingProxyType({"b": ()}))})) == dumps({"a": [1, {"b": []}]})


strings = st.one_of(
    st.sampled_from(TRAPS), st.text(max_size=12), st.text(alphabet="ab01:-#. \n\t'\"|>{[_+~?\u0085", max_size=10)
)
scalars = st.one_of(
    strings,
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
keys = strings.filter(lambda s: len(s) < 200)
plain = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(keys, plain, max_size=4))
def test_any_plain_value_comes_back(value: dict[str, object]) -> None:
    text = dumps(value)
    assert same(yaml.load(text, yaml.CSafeLoader), value)
    assert same(read_by_everyone(text)[3], value)
    assert dumps(dict(reversed(value.items()))) == text
    text.encode()
