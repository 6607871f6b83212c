"""The fast reader of canonical text: reads what the writer writes, agrees with PyYAML, and refuses all else."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stowplan.source.canonical_yaml import NotCanonical, read_canonical
from stowplan.source.yaml_writer import dumps

TEXTS = st.one_of(
    st.sampled_from(["a", "yes", "1", "1e3", "x: y", "- z", "#", "", " ", "a\nb", "a\n", "\n", "{}", "null", "0x1", "=",
                     "k y", '"q"', "a:", ":", "-", "a\n\n b\n", "registry.example.com/app:1", "2026-01-01"]),
    st.text(max_size=12),
)  # fmt: skip
SCALARS = st.one_of(TEXTS, st.integers(-(2**63), 2**63 - 1), st.booleans(), st.none(), st.floats(-1e6, 1e6, width=32))
VALUES = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(TEXTS, v, max_size=4), max_leaves=16
)  # fmt: skip


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=5))
def test_what_is_read_is_what_was_written(data: dict[str, Any]) -> None:
    try:
        text = dumps(data)
    except ValueError:
        return
    try:
        found = read_canonical(text)
    except NotCanonical:
        return
    assert found == data
    assert dumps(found) == text


ORDINARY = {
    "apiVersion": "apps/v1", "kind": "Deployment",
    "metadata": {"annotations": {"a/b": "yes", "note": "l1\nl2\n"}, "name": "web"},
    "spec": {"args": ["-x", "--port=80", "", "a: b"], "empty": {}, "none": [], "on": True, "r": 2, "f": 0.5,
             "l": [{"name": "x", "in": [{"y": 1}]}, {"name": "z"}], "n": None},
}  # fmt: skip


def test_an_ordinary_object_is_read_and_not_left_to_the_general_reader() -> None:
    assert read_canonical("# written by a compiler\n" + dumps(ORDINARY)) == ORDINARY


@pytest.mark.parametrize(
    "text",
    ["", "a", "a: [1]\n", "a: {b: 1}\n", "a: &x 1\n", "a: 'q'\n", "a: yes\n", "a: 012\n", "a: >\n  x\n", "a:\n", "a: 1",
     "a:\n   b: 1\n", "a: 1\na: 2\n", "a: 1\n b: 2\n", "? a\n", "a: b: c\n", "a: |\n\n", "a: 1 # c\n", "1: 2\n", "- 1\nb: 2\n",
     "a: 1\n---\nb: 2\n", "\ta: 1\n", "a: |+\n  x\n", "a: 2026-01-01\n", "a: 1:30\n"],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(NotCanonical):
        read_canonical(text)


@pytest.mark.parametrize("depth", [200, 5000])
def test_hostile_depth_is_refused(depth: int) -> None:
    with pytest.raises(NotCanonical):
        read_canonical("".join("  " * n + "a:\n" for n in range(depth)) + "  " * depth + "a: 1\n")


@given(st.text(alphabet='ab:-"|{}[] \n#', max_size=30))
def test_whatever_is_read_reads_the_same_in_pyyaml(text: str) -> None:
    try:
        found = read_canonical(text)
    except NotCanonical:
        return
    assert found == yaml.safe_load(text)
