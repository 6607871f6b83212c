"""Copies of faulty objects that know which of their parts were found faulty: the full walk looks at no others.

Pruning, dropping nulls, filling in defaults, and validation are done on the way, in one go; `shaping.py` and
`checking.py` have these steps for whole values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from stowplan.schema.checking import check_count, check_length, check_part, check_required, check_value
from stowplan.schema.engine import Engine, Trail, Unwell
from stowplan.schema.listing import repeated
from stowplan.schema.node import ABSENT, Node
from stowplan.schema.scalars import Findings
from stowplan.schema.shaping import (
    TYPE_META,
    Unknown,
    apply_defaults,
    copy_json,
    drop_nulls,
    normalise_metadata,
    normalise_object_metadata,
    prune,
)
from stowplan.schema.unsettled import Open, OpenList
from stowplan.schema.wording import index_path
from stowplan.source.span import Pointer

__all__ = ["Opener"]

_NO_TRAIL: Final[Trail] = {}
_UNSEEN: Final[tuple[int, Any, tuple[()]]] = (-1, None, ())


class Opener:
    """Makes the copy of one object, and notes what is wrong: unknown fields (of the schema, of metadata), and causes."""

    __slots__ = ("_engine", "_trail", "_without_status", "floats", "found", "lists", "of_metadata", "unknown")

    def __init__(self, engine: Engine, trail: Trail, *, without_status: bool) -> None:
        """`trail` is what the compiled check of the object noted; a status is left out if a request cannot set it."""
        self._without_status = without_status
        self.found = Findings()
        self._engine = engine
        self._trail = trail
        self.unknown: list[Unknown] = []
        self.of_metadata: list[Unknown] = []
        self.floats = False
        """Whether a float may stand in an integer field."""
        self.lists = False
        """Whether items of a set or keyed list may repeat."""

    def object(self, value: Any, node: Node) -> Any:
        """The copy of a whole object; may raise `Malformed`."""
        number, well, bad = self._trail.get(id(value), _UNSEEN)
        if number != node.index:
            made = self._tried_map(value, node, "", (), apart=True) if type(value) is dict else copy_json(value)
            self._shaped(made, node, "", (), root=True)
            if self._without_status and type(made) is Open:
                made.pop("status", None)
            self.found = check_value(made, node, "", (), self._engine.minor, root=True)
            return made
        out = _begun(value, well, bad)
        apart = [key for key in bad if key in TYPE_META]
        for key in apart:
            out[key] = copy_json(value[key])
        if apart:
            normalise_object_metadata(out, "", (), self.of_metadata)
        opened = self._members(out, value, node, [key for key in bad if key not in TYPE_META], "", ())
        out.open = (*apart, *opened)
        return out

    def _part(self, value: Any, node: Node | None, path: str, pointer: Pointer) -> Any:
        """The copy of a faulty part. Below alternatives all is open, since how much matches there counts."""
        kind = type(value)
        if kind is dict or kind is list:
            number, well, bad = self._trail.get(id(value), _UNSEEN)
            if node is not None and number == node.index:
                if kind is list:
                    return self._list(value, node, well, bad, path, pointer)
                out = _begun(value, well, bad)
                out.open = tuple(self._members(out, value, node, bad, path, pointer))
                return out
            made = self._shaped(self._tried(value, node, path, pointer), node, path.removeprefix("."), pointer)
        elif value is None and node is not None:
            made = _null(node)
        else:
            self.floats = self.floats or kind is float
            made = copy_json(value)
        if node is not None:
            check_part(self.found, made, node, path, pointer, self._engine.minor)
        return made

    def _tried(self, value: Any, node: Node | None, path: str, pointer: Pointer) -> Any:
        """A value that was not looked into, or that stands at two places: its parts are tried one by one."""
        if node is None or node.has_alternatives:
            return copy_json(value)
        found, self.found = self.found, Findings()
        if type(value) is dict:
            made: Any = self._tried_map(value, node, path, pointer, apart=node.embedded)
        else:
            made = self._tried_list(value, node, path, pointer)
        self.found = found
        return made

    def _shaped(self, value: Any, node: Node | None, path: str, pointer: Pointer, *, root: bool = False) -> Any:
        self.floats = True
        self.lists = self.lists or (node is not None and node.has_topology_below)
        prune(value, node, path, pointer, self.unknown, root=root)
        normalise_metadata(value, node, path, pointer, self.of_metadata, root=root)
        drop_nulls(value, node)
        apply_defaults(value, node)
        return value

    def _members(
        self, out: Open, value: dict[str, Any], node: Node, bad: Sequence[str], path: str, pointer: Pointer
    ) -> list[str]:
        """Put the faulty members into `out`, and the defaults; gives the keys of what has to be looked at."""
        opened: list[str] = []
        n_before = len(self.found.errors)
        for key in bad:
            item, child, below = value[key], node.child(key), f"{path}.{key}" if path else key
            if child is None and (child := node.additional) is not None:
                below = f"{path}.{key}"
            if child is None and not node.preserve and not node.additional_any:
                self.unknown.append((below.removeprefix("."), (*pointer, key)))
                del out[key]
                continue
            opened.append(key)
            if child is None and node.preserve:
                out[key] = copy_json(item)
            elif self._without_status and pointer == () and key == "status":
                self._status(item, child)
                del out[key]
            else:
                out[key] = self._part(item, child, below, (*pointer, key))
        for name, child in node.defaulted:
            if name not in out and not (self._without_status and pointer == () and name == "status"):
                out[name] = copy_json(child.default)
                apply_defaults(out[name], child)
                self.lists = self.lists or child.has_topology_below
                opened.append(name)
                below = f"{path}.{name}" if path else name
                check_part(self.found, out[name], child, below, (*pointer, name), self._engine.minor)
        check_required(self.found, out, node, path, pointer)
        if node.min_properties is not None or node.max_properties is not None:
            later = self.found.errors[n_before:]
            del self.found.errors[n_before:]
            check_count(self.found, out, node, path, pointer)
            self.found.errors += later
        return opened

    def _status(self, value: Any, node: Node | None) -> None:
        """A status that the request cannot set: only its unknown fields count."""
        found, self.found = self.found, Findings()
        self._part(value, node, "status", ("status",))
        self.found = found

    def _list(
        self, value: list[Any], node: Node, well: list[Any], bad: Sequence[int], path: str, pointer: Pointer
    ) -> OpenList:
        out = OpenList(well)
        out.open = bad
        items = node.items
        for index in bad:
            out[index] = self._part(value[index], items, index_path(path, index), (*pointer, index))
        check_length(self.found, out, node, path, pointer)
        self.lists = self.lists or not _plainly_distinct(out, node)
        return out

    def _tried_map(self, value: dict[str, Any], node: Node, path: str, pointer: Pointer, *, apart: bool) -> Open:
        """A map that the check refused to look into, member by member."""
        out = Open()
        bad: list[str] = []
        additional = node.additional
        for key, item in value.items():
            child = None if apart and key in TYPE_META else node.child(key) or additional
            is_well, out[key] = self._attempt(item, child, f"{path}.{key}" if path else key, (*pointer, key))
            if not is_well:
                bad.append(key)
        out.open = tuple(bad)
        return out

    def _tried_list(self, value: list[Any], node: Node, path: str, pointer: Pointer) -> OpenList:
        attempts = [
            self._attempt(item, node.items, index_path(path, index), (*pointer, index))
            for index, item in enumerate(value)
        ]
        out = OpenList([made for _, made in attempts])
        out.open = [index for index, (is_well, _) in enumerate(attempts) if not is_well]
        return out

    def _attempt(self, value: Any, node: Node | None, path: str, pointer: Pointer) -> tuple[bool, Any]:
        """Whether a part is well, and its copy."""
        if (type(value) is not dict and type(value) is not list) or node is None or node.has_alternatives:
            return False, copy_json(value)
        try:
            return True, self._engine.function(node)(value)
        except Unwell as stop:
            before, self._trail = self._trail, stop.trail or _NO_TRAIL
            made = self._part(value, node, path, pointer)
            self._trail = before
            return False, made


def _begun(value: dict[str, Any], well: dict[str, Any], bad: Sequence[str]) -> Open:
    """The well members in the order of `value`, and places for the others."""
    out = Open(value)
    out.update(well)
    if len(out) != len(well) + len(bad):  # nulls were left out
        for key in [key for key in value if key not in well and key not in bad]:
            del out[key]
    return out


def _plainly_distinct(items: list[Any], node: Node) -> bool:
    """Whether list topology has nothing against a list."""
    if node.list_type == "set":
        return not repeated(items)
    if node.list_type != "map":
        return True
    return all(isinstance(item, dict) for item in items) and not repeated(
        [{key: item[key] for key in node.map_keys if key in item} for item in items]
    )


def _null(node: Node) -> Any:
    """What becomes of a null that is not left out."""
    return None if node.nullable or node.default is ABSENT else copy_json(node.default)
