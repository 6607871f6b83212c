"""The compiled check, and the walk over what it left open, say what a plain walk over everything says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests_schema_samples import widget_crd

from stowplan.schema import walk
from stowplan.schema.crd import PackBuilder
from stowplan.schema.custom import CustomKind
from stowplan.schema.sets import SchemaSet
from stowplan.schema.walk import decode

BUILDER = PackBuilder()
assert BUILDER.add(widget_crd()) == ()
FOUND = SchemaSet((BUILDER.pack(),), 36).kind("example.org/v1", "Widget")
assert isinstance(FOUND, CustomKind)
KIND: CustomKind = FOUND

SCALARS = st.sampled_from(
    [
        None,
        True,
        0,
        1,
        7,
        10,
        12,
        -1,
        2**40,
        2**70,
        1.0,
        1.5,
        "",
        "a",
        "Fast",
        "Slow",
        "TCP",
        "50%",
        "x-1",
        "TOO",
        "longer-text",
    ]
)
PORT = st.dictionaries(st.sampled_from(["name", "port", "protocol", "extra"]), SCALARS, max_size=4)
SPEC = st.fixed_dictionaries(
    {},
    optional={
        "size": SCALARS, "low": SCALARS, "high": SCALARS, "mode": SCALARS, "note": SCALARS, "share": SCALARS,
        "ports": st.one_of(SCALARS, st.lists(st.one_of(PORT, SCALARS), max_size=5)),
        "tags": st.one_of(SCALARS, st.lists(SCALARS, max_size=4)),
        "selector": st.one_of(SCALARS, st.dictionaries(st.sampled_from(["a", "b", "c"]), SCALARS, max_size=3)),
        "free": st.one_of(SCALARS, PORT), "frozen": SCALARS,
        "limits": st.one_of(SCALARS, st.dictionaries(st.sampled_from(["cpu", "nothing", "odd"]), SCALARS, max_size=3)),
        "object": st.one_of(SCALARS, st.dictionaries(st.sampled_from(["apiVersion", "kind", "metadata", "x"]), SCALARS)),
        "stray": SCALARS,
    },
)  # fmt: skip
META = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "A", "", "a.b", None, 3])},
    optional={
        "namespace": st.sampled_from(["x", "X", None]),
        "labels": st.one_of(st.none(), st.dictionaries(st.sampled_from(["k", "a/b", "-"]), SCALARS, max_size=2)),
        "finalizers": st.lists(st.sampled_from(["orphan", "example.org/x", "bare"]), max_size=2),
        "odd": SCALARS,
    },
)  # fmt: skip
WIDGETS = st.fixed_dictionaries(
    {"apiVersion": st.sampled_from(["example.org/v1", "example.org/v1", "example.org/v1", None, 3])},
    optional={
        "kind": st.sampled_from(["Widget", "Widget", "Widget", None, 3]),
        "metadata": st.one_of(META, st.just({"name": "a"}), SCALARS),
        "spec": st.one_of(SPEC, SCALARS), "status": st.one_of(SCALARS, st.just({"phase": "x"})),
    },
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(WIDGETS, st.booleans())
def test_quick_and_full_walk_agree(value: dict[str, Any], strict: bool) -> None:
    told = KIND.judge(value, strict=strict)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "decode", lambda given, grounds, *, strict, **_more: decode(given, grounds, strict=strict))
        plain = walk.judge_fully(value, KIND.grounds, strict=strict)
    assert (told.code, told.errors, told.warnings, told.stored) == (
        plain.code,
        plain.errors,
        plain.warnings,
        plain.stored,
    )


@settings(max_examples=200, deadline=None)
@given(WIDGETS)
def test_what_is_stored_is_a_fixed_point_and_an_update_to_itself_is_accepted(value: dict[str, Any]) -> None:
    told = KIND.judge(value, strict=False)
    if told.stored is None:
        return
    again = KIND.judge(told.stored)
    assert again.stored == told.stored
    assert KIND.normalise(told.stored) == told.stored
    assert KIND.judge(told.stored, told.stored).code == 200


@pytest.mark.parametrize("metadata", [[], 3, "x", None, {"name": 3}])
def test_an_old_object_that_cannot_be_decoded_is_an_answer(metadata: Any) -> None:
    value = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1}}
    told = KIND.judge(value, {**value, "metadata": metadata})
    assert (told.code, told.stored) != (200, None)
