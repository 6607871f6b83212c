"""Sets of field paths with the algebra and the wire form (fieldsV1) of server-side apply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from stowplan.ownership.fieldpath import (
    FieldPath,
    PathElement,
    PathSyntaxError,
    element_from_wire,
    element_to_wire,
    sort_key,
)

__all__ = ["EMPTY", "FieldSet", "FieldSetBuilder"]

_MAX_DEPTH: Final = 200
"""Deeper wire forms are refused: no API object nests so far, and a hostile one would end the interpreter."""


class FieldSet:
    """An immutable set of field paths, kept as a tree: `members` end here, `children` go on.

    A node may be a member and have children: fieldsV1 writes that as a `.` beside the children.
    """

    __slots__ = ("children", "members")

    members: frozenset[PathElement]
    children: Mapping[PathElement, FieldSet]

    def __init__(self, members: frozenset[PathElement], children: Mapping[PathElement, FieldSet]) -> None:
        self.members = members
        self.children = children

    @staticmethod
    def of(paths: Iterable[FieldPath]) -> FieldSet:
        """The set of these paths."""
        builder = FieldSetBuilder()
        for path in paths:
            builder.insert(path)
        return builder.build()

    @staticmethod
    def from_wire(data: Any) -> FieldSet:
        """The set that a fieldsV1 object means; unknown key prefixes are passed over, as API servers do.

        Raises:
            PathSyntaxError: the object is no field set.
        """
        return _from_wire(data, 0)

    def to_wire(self) -> dict[str, Any]:
        """The set as a fieldsV1 object, keys in the API server's order."""
        out: dict[str, Any] = {}
        for element in sorted({*self.members, *self.children}, key=sort_key):
            below = self.children.get(element)
            inner = below.to_wire() if below is not None else {}
            out[element_to_wire(element)] = {".": {}, **inner} if inner and element in self.members else inner
        return out

    def is_empty(self) -> bool:
        """Whether no path at all is in the set."""
        return not self.members and not self.children

    def __bool__(self) -> bool:
        return bool(self.members or self.children)

    def __len__(self) -> int:
        return len(self.members) + sum(len(child) for child in self.children.values())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FieldSet):
            return NotImplemented
        return self.members == other.members and self.children == other.children

    def __hash__(self) -> int:
        return hash((self.members, frozenset(self.children)))

    def __repr__(self) -> str:
        return f"FieldSet({self.to_wire()})"

    def __contains__(self, path: FieldPath) -> bool:
        node = self
        for element in path[:-1]:
            below = node.children.get(element)
            if below is None:
                return False
            node = below
        return bool(path) and path[-1] in node.members

    def below(self, element: PathElement) -> FieldSet:
        """What the set holds under one step, `EMPTY` if nothing."""
        return self.children.get(element, EMPTY)

    def __iter__(self) -> Iterator[FieldPath]:
        """All paths, sorted."""
        return self._paths(())

    def _paths(self, prefix: FieldPath) -> Iterator[FieldPath]:
        for element in sorted({*self.members, *self.children}, key=sort_key):
            path = (*prefix, element)
            if element in self.members:
                yield path
            below = self.children.get(element)
            if below is not None:
                yield from below._paths(path)

    def union(self, other: FieldSet) -> FieldSet:
        """The paths in either set."""
        if not other:
            return self
        if not self:
            return other
        children = dict(self.children)
        for element, theirs in other.children.items():
            mine = children.get(element)
            children[element] = theirs if mine is None else mine.union(theirs)
        return FieldSet(self.members | other.members, children)

    def intersection(self, other: FieldSet) -> FieldSet:
        """The paths in both sets."""
        children = {}
        for element, mine in self.children.items():
            theirs = other.children.get(element)
            if theirs is not None and (both := mine.intersection(theirs)):
                children[element] = both
        return FieldSet(self.members & other.members, children)

    def difference(self, other: FieldSet) -> FieldSet:
        """The paths of this set that are not in the other one."""
        children = {}
        for element, mine in self.children.items():
            theirs = other.children.get(element)
            rest = mine if theirs is None else mine.difference(theirs)
            if rest:
                children[element] = rest
        return FieldSet(self.members - other.members, children)

    def recursive_difference(self, other: FieldSet) -> FieldSet:
        """The paths of this set that are neither in the other one nor below one of its paths."""
        children = {}
        for element, mine in self.children.items():
            if element in other.members:
                continue
            theirs = other.children.get(element)
            rest = mine if theirs is None else mine.recursive_difference(theirs)
            if rest:
                children[element] = rest
        return FieldSet(self.members - other.members, children)

    def leaves(self) -> FieldSet:
        """The paths that have none below them."""
        members = frozenset(element for element in self.members if element not in self.children)
        return FieldSet(members, {element: child.leaves() for element, child in self.children.items()})


EMPTY: Final = FieldSet(frozenset(), {})
"""The set without any path."""


class FieldSetBuilder:
    """Collects paths; `build` freezes them into a `FieldSet`."""

    __slots__ = ("_children", "_members")

    def __init__(self) -> None:
        self._members: set[PathElement] = set()
        self._children: dict[PathElement, FieldSetBuilder] = {}

    def add(self, element: PathElement) -> None:
        """Make a step of this node a member."""
        self._members.add(element)

    def child(self, element: PathElement) -> FieldSetBuilder:
        """The builder of what lies below a step, made on first use."""
        found = self._children.get(element)
        if found is None:
            found = self._children[element] = FieldSetBuilder()
        return found

    def insert(self, path: FieldPath) -> None:
        """Put a whole path in; the empty path names the object itself and is never a member."""
        if not path:
            return
        node = self
        for element in path[:-1]:
            node = node.child(element)
        node.add(path[-1])

    def build(self) -> FieldSet:
        """The frozen set; nodes without any member fall away."""
        children = {}
        for element, builder in self._children.items():
            if below := builder.build():
                children[element] = below
        if not self._members and not children:
            return EMPTY
        return FieldSet(frozenset(self._members), children)


def _from_wire(data: Any, depth: int) -> FieldSet:
    if data is None:
        return EMPTY
    if not isinstance(data, dict):
        raise PathSyntaxError("a field set is a JSON object")
    if depth > _MAX_DEPTH:
        raise PathSyntaxError(f"a field set nests deeper than {_MAX_DEPTH}")
    members = set()
    children = {}
    for text, inner in data.items():
        if text == ".":
            continue
        element = element_from_wire(text)
        if element is None:
            continue
        below = _from_wire(inner, depth + 1)
        if not below or "." in inner:
            members.add(element)
        if below:
            children[element] = below
    return FieldSet(frozenset(members), children)
