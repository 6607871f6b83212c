"""The field manager emulator: what apply and update promise, as laws and as small scenes."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from stowplan.ownership.apply import apply, update
from stowplan.ownership.extract import owned_set
from stowplan.ownership.fieldpath import format_path
from stowplan.ownership.merge import compare_values, merge_values
from stowplan.ownership.typefacts import StructuralTypes

FACTS = StructuralTypes(
    {
        "text": {"scalar": "untyped"},
        "item": {"map": {"rel": "separable", "fields": {"name": "text", "v": "text"}}},
        "root": {
            "map": {
                "rel": "separable",
                "fields": {
                    "apiVersion": "text", "kind": "text", "a": "text", "b": "text",
                    "items": {"list": {"rel": "associative", "keys": ["name"], "elem": "item"}},
                    "tags": {"list": {"rel": "associative", "elem": "text"}},
                    "whole": {"list": {"rel": "atomic", "elem": "text"}},
                    "map": {"map": {"rel": "separable", "elem": "text"}},
                },
            }
        },
    }
).root("root")  # fmt: skip

NAMES = st.sampled_from(["x", "y", "z"])
ITEMS = st.lists(st.builds(lambda n, v: {"name": n, "v": v}, NAMES, st.integers(0, 2)), max_size=3,
                 unique_by=lambda i: i["name"])  # fmt: skip
CONFIGS = st.fixed_dictionaries(
    {"apiVersion": st.just("t/v1"), "kind": st.just("T")},
    optional={
        "a": st.integers(0, 2), "b": st.integers(0, 2), "items": ITEMS, "tags": st.lists(NAMES, max_size=3, unique=True),
        "whole": st.lists(NAMES, max_size=2), "map": st.dictionaries(NAMES, st.integers(0, 2), max_size=2),
    },
)  # fmt: skip


def config(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": "t/v1", "kind": "T", **fields}


@given(CONFIGS)
def test_applying_twice_changes_nothing(first: dict[str, Any]) -> None:
    once = apply(None, (), first, FACTS, manager="m", time=1)
    assume(once.entries)  # an object that nobody owns anything of counts as never tracked
    twice = apply(once.object, once.entries, first, FACTS, manager="m", time=2)
    assert (twice.object, twice.entries) == (once.object, once.entries)
    assert not twice.changed


@given(CONFIGS, CONFIGS)
def test_a_forced_apply_owns_just_what_it_sets(first: dict[str, Any], second: dict[str, Any]) -> None:
    once = apply(None, (), first, FACTS, manager="one", time=1)
    both = apply(once.object, once.entries, second, FACTS, manager="two", force=True, time=2)
    assert not both.conflicts
    owned = {entry.manager: entry.fields for entry in both.entries}
    assert owned.get("two", owned_set({}, FACTS)) == owned_set(second, FACTS)


@given(CONFIGS, CONFIGS)
def test_dropping_fields_removes_what_nobody_else_owns(first: dict[str, Any], second: dict[str, Any]) -> None:
    once = apply(None, (), first, FACTS, manager="one", time=1)
    both = apply(once.object, once.entries, second, FACTS, manager="two", force=True, time=2)
    left = apply(both.object, both.entries, config(), FACTS, manager="one", force=True, time=3)
    assert [entry.manager for entry in left.entries if entry.manager == "one"] == []
    for path in owned_set(second, FACTS):
        assert path in owned_set(left.object, FACTS), format_path(path)


@given(CONFIGS, CONFIGS)
def test_without_force_the_loser_learns_whose_field_it_is(first: dict[str, Any], second: dict[str, Any]) -> None:
    once = apply(None, (), first, FACTS, manager="one", time=1)
    outcome = apply(once.object, once.entries, second, FACTS, manager="two", time=2)
    changed = compare_values(once.object, merge_values(once.object, second, FACTS), FACTS)
    touched = changed.modified.union(changed.added).intersection(owned_set(first, FACTS))
    assert bool(outcome.conflicts) is bool(touched)
    if outcome.conflicts:
        assert outcome.conflicts[0].entry.manager == "one"
        assert outcome.conflicts[0].fields == touched
        assert outcome.object == once.object


def test_an_update_takes_what_it_changes() -> None:
    once = apply(None, (), config(a=1, b=1), FACTS, manager="git", time=1)
    scaled = update(once.object, once.entries, config(a=2, b=1), FACTS, manager="scaler", time=2)
    assert {e.manager: [format_path(p) for p in e.fields] for e in scaled.entries} == {"git": ["b"], "scaler": ["a"]}
    again = apply(scaled.object, scaled.entries, config(a=1, b=1), FACTS, manager="git", time=3)
    assert [c.entry.manager for c in again.conflicts] == ["scaler"]


def test_what_was_there_before_tracking_belongs_to_a_manager_of_its_own() -> None:
    outcome = apply(config(a=1), (), config(b=2), FACTS, manager="git", time=1)
    assert [e.manager for e in outcome.entries] == ["git", "before-first-apply"]


def test_duplicate_items_are_refused() -> None:
    twice = [{"name": "x"}, {"name": "x"}]
    outcome = apply(None, (), config(items=twice), FACTS, manager="git")
    assert "duplicate entries" in outcome.errors[0]


def test_old_updaters_beyond_ten_become_one() -> None:
    live, entries = config(map={"k0": 0}), update(None, (), config(map={"k0": 0}), FACTS, manager="m0", time=1).entries
    for number in range(1, 13):
        new = config(map={**live["map"], f"k{number}": 0})
        outcome = update(live, entries, new, FACTS, manager=f"m{number:02}", time=number + 1)
        live, entries = new, outcome.entries
    assert len(entries) == 10
    assert entries[0].manager == "ancient-changes"
