"""Merging, comparing and pruning of values by structural facts, as server-side apply does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stowplan.ownership.extract import ItemKeyError, item_element
from stowplan.ownership.fieldpath import FieldPath, PathElement, field
from stowplan.ownership.fieldset import EMPTY, FieldSet, FieldSetBuilder
from stowplan.ownership.typefacts import ABSENT, DEDUCED, ListFacts, MapFacts, TypeFacts

__all__ = ["Comparison", "compare_values", "equal_values", "merge_values", "named_members", "remove_items"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a change did, as sets of paths; containers that came or went are named beside what is in them."""

    added: FieldSet
    modified: FieldSet
    removed: FieldSet


def equal_values(one: Any, other: Any) -> bool:
    """Equality as an API server sees it: `1` and `1.0` are equal, `1` and `true` are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal_values(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(equal_values(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def _map_of(data: Any, facts: TypeFacts) -> bool:
    return isinstance(data, dict) and facts.map is not None


def _list_of(data: Any, facts: TypeFacts) -> bool:
    return isinstance(data, list) and facts.list is not None


def _form(data: Any, facts: TypeFacts) -> str:
    """Which form of its type a value takes; for a value without one, the first that the type has."""
    if _map_of(data, facts):
        return "map"
    if _list_of(data, facts):
        return "list"
    if data is not ABSENT and data is not None and not isinstance(data, dict | list) and facts.scalar is not None:
        return "scalar"
    return "map" if facts.map is not None else "scalar" if facts.scalar is not None else "list"


def _shared_form(left: Any, right: Any, facts: TypeFacts) -> str:
    """The form in which two values are walked together; `leaf` where they are of two forms."""
    if right is ABSENT:
        return _form(left, facts)
    if left is ABSENT:
        return _form(right, facts)
    mine, theirs = _form(left, facts), _form(right, facts)
    if mine == theirs:
        return mine
    return "mixed"


def merge_values(live: Any, config: Any, facts: TypeFacts) -> Any:
    """The live value with the applied one laid over it; `ABSENT` if nothing is left.

    Items of keyed lists keep the order of the applied list; items that only live has keep their place before the next
    shared one.
    """
    form = _shared_form(live, config, facts)
    if form == "map" and facts.map is not None and not _is_leaf_map(live, config, facts.map):
        return _merge_maps(live, config, facts.map)
    if form == "list" and facts.list is not None and not _is_leaf_list(live, config, facts.list):
        return _merge_lists(live, config, facts.list)
    return live if config is ABSENT else config


def _is_leaf_map(left: Any, right: Any, facts: MapFacts) -> bool:
    return facts.atomic or (not (isinstance(left, dict) and left) and not (isinstance(right, dict) and right))


def _is_leaf_list(left: Any, right: Any, facts: ListFacts) -> bool:
    return not facts.associative or (not (isinstance(left, list) and left) and not (isinstance(right, list) and right))


def _merge_maps(live: Any, config: Any, facts: MapFacts) -> Any:
    mine, theirs = _as_map(live), _as_map(config)
    merged = {}
    for name in _all_names(mine, theirs):
        below = merge_values(mine.get(name, ABSENT), theirs.get(name, ABSENT), _field_type(facts, name))
        if below is not ABSENT:
            merged[name] = below
    return merged or ABSENT


def _as_map(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _as_list(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


def _all_names(left: dict[str, Any], right: dict[str, Any]) -> Iterator[str]:
    yield from left
    yield from (name for name in right if name not in left)


def _field_type(facts: MapFacts, name: str) -> TypeFacts:
    return facts.declared(name) or facts.element or DEDUCED


def _elements(items: list[Any], facts: ListFacts) -> list[PathElement]:
    elements = []
    for child in items:
        try:
            elements.append(item_element(facts, child))
        except ItemKeyError:
            continue
    return elements


def _by_element(items: list[Any], elements: list[PathElement]) -> dict[PathElement, Any]:
    """Items by element; one that occurs twice is not merged and stands as null."""
    by_element: dict[PathElement, Any] = {}
    for element, child in zip(elements, items, strict=False):
        by_element[element] = None if element in by_element else child
    return by_element


def _merge_lists(live: Any, config: Any, facts: ListFacts) -> Any:
    merged = list(_merge_order(_as_list(live), _as_list(config), facts))
    return merged or ABSENT


def _merge_order(live: list[Any], config: list[Any], facts: ListFacts) -> Iterator[Any]:
    left, right = _elements(live, facts), _elements(config, facts)
    mine, theirs = _by_element(live, left), _by_element(config, right)
    shared = [element for element in right if element in mine]
    shared.reverse()
    following = shared.pop() if shared else None
    done: set[PathElement] = set()
    i = j = 0
    while i < len(left) or j < len(right):
        if i < len(left) and j < len(right):
            if left[i] == right[j]:
                done.add(left[i])
                yield merge_values(mine[left[i]], theirs[left[i]], facts.element)
                i, j = i + 1, j + 1
                following = shared.pop() if shared else None
                continue
            if left[i] in theirs and following is not None and following != left[i]:
                i += 1
                continue
        if i < len(left):
            if left[i] not in theirs:
                yield merge_values(live[i], ABSENT, facts.element)
                i += 1
                continue
            if left[i] in done:
                i += 1
        if j < len(right):
            element = right[j]
            done.add(element)
            yield merge_values(mine.get(element, ABSENT), theirs[element], facts.element)
            j += 1
            if following == element:
                following = shared.pop() if shared else None


def compare_values(before: Any, after: Any, facts: TypeFacts) -> Comparison:
    """What a change from one object to another did."""
    walk = _Comparing()
    walk.compare(before, after, facts, ())
    return Comparison(walk.added.build(), walk.modified.build(), walk.removed.build())


class _Comparing:
    """One comparison under way."""

    def __init__(self) -> None:
        self.added, self.modified, self.removed = FieldSetBuilder(), FieldSetBuilder(), FieldSetBuilder()

    def compare(self, before: Any, after: Any, facts: TypeFacts, path: FieldPath) -> None:
        """Walk two values; either may be `ABSENT`."""
        form = _shared_form(before, after, facts)
        if form == "map" and facts.map is not None and not _is_leaf_map(before, after, facts.map):
            self._maps(before, after, facts.map, path)
        elif form == "list" and facts.list is not None and not _is_leaf_list(before, after, facts.list):
            self._lists(before, after, facts.list, path)
        elif before is not ABSENT and after is not ABSENT:
            if not equal_values(before, after):
                self.modified.insert(path)
            return
        if before is ABSENT:
            self.added.insert(path)
        elif after is ABSENT:
            self.removed.insert(path)

    def _maps(self, before: Any, after: Any, facts: MapFacts, path: FieldPath) -> None:
        mine, theirs = _as_map(before), _as_map(after)
        for name in _all_names(mine, theirs):
            one, other = mine.get(name, ABSENT), theirs.get(name, ABSENT)
            self.compare(one, other, _field_type(facts, name), (*path, field(name)))

    def _lists(self, before: Any, after: Any, facts: ListFacts, path: FieldPath) -> None:
        mine = _grouped(_as_list(before), facts)
        theirs = _grouped(_as_list(after), facts)
        for element in [*mine, *(element for element in theirs if element not in mine)]:
            self._items(mine.get(element, []), theirs.get(element, []), facts.element, (*path, element))

    def _items(self, mine: list[Any], theirs: list[Any], facts: TypeFacts, path: FieldPath) -> None:
        """Items of one key; where a key occurs twice, its items count as one value."""
        if len(mine) <= 1 and len(theirs) <= 1:
            self.compare(mine[0] if mine else ABSENT, theirs[0] if theirs else ABSENT, facts, path)
        elif len(mine) >= 2 and len(theirs) >= 2:
            if not equal_values(mine, theirs):
                self.modified.insert(path)
        elif len(mine) >= 2:
            if theirs:
                self.compare(ABSENT, theirs[0], facts, path)
            self.removed.insert(path)
        else:
            if mine:
                self.compare(mine[0], ABSENT, facts, path)
            self.added.insert(path)


def _grouped(items: list[Any], facts: ListFacts) -> dict[PathElement, list[Any]]:
    groups: dict[PathElement, list[Any]] = {}
    for child in items:
        try:
            groups.setdefault(item_element(facts, child), []).append(child)
        except ItemKeyError:
            continue
    return groups


def remove_items(data: Any, removed: FieldSet, facts: TypeFacts) -> Any:
    """The value without what the set names; a container that is emptied by it becomes null."""
    if _map_of(data, facts) and facts.map is not None:
        if facts.map.atomic:
            return None
        return _remove_fields(data, removed, facts.map)
    if _list_of(data, facts) and facts.list is not None:
        if not facts.list.associative:
            return None
        return _remove_from_list(data, removed, facts.list)
    return data


def _remove_fields(data: dict[str, Any], removed: FieldSet, facts: MapFacts) -> Any:
    kept = {}
    for name, child in data.items():
        step = field(name)
        if step in removed.members:
            continue
        below = removed.children.get(step)
        kept[name] = remove_items(child, below, _field_type(facts, name)) if below else child
    return kept or None


def _remove_from_list(data: list[Any], removed: FieldSet, facts: ListFacts) -> Any:
    kept = []
    for child in data:
        try:
            element = item_element(facts, child)
        except ItemKeyError:
            continue
        if element in removed.members:
            continue
        below = removed.children.get(element)
        kept.append(remove_items(child, below, facts.element) if below else child)
    return kept or None


def named_members(owned: FieldSet, facts: TypeFacts | None) -> FieldSet:
    """The set with every declared field on the way to a member made a member too."""
    mapping = facts.map if facts is not None else None
    sequence = facts.list if facts is not None else None
    members, children = set(owned.members), {}
    for element, below in owned.children.items():
        child_facts: TypeFacts | None = None
        if element.kind == "f" and mapping is not None:
            declared = mapping.declared(element.payload)
            if declared is not None:
                members.add(element)
            child_facts = declared or mapping.element
        elif element.kind == "k" and sequence is not None:
            child_facts = sequence.element
        children[element] = named_members(below, child_facts)
    return FieldSet(frozenset(members), children) if members or children else EMPTY
