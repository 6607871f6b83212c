"""What the server does to an object before it judges it: prune unknown fields and nulls, fill in defaults."""

from __future__ import annotations

from typing import Any

from stowplan.schema.metadata import Malformed, clean_metadata
from stowplan.schema.node import ABSENT, Node
from stowplan.schema.unsettled import HOLDERS, Open, is_list, is_map, open_items, open_keys
from stowplan.schema.wording import index_path
from stowplan.source.span import Pointer

__all__ = [
    "TYPE_META",
    "Unknown",
    "apply_defaults",
    "copy_json",
    "drop_nulls",
    "normalise_metadata",
    "normalise_object_metadata",
    "prune",
]

Unknown = tuple[str, Pointer]
"""An unknown field: its path as the server prints it, and where it stands."""

TYPE_META = frozenset({"apiVersion", "kind", "metadata"})
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


def copy_json(value: Any) -> Any:
    """A deep copy; integers beyond 64 bits become floats, as the server's decoder makes them."""
    kind = type(value)
    if kind is dict:
        return {key: copy_json(item) for key, item in value.items()}
    if kind is list:
        return [copy_json(item) for item in value]
    if kind is int and not _LOWEST <= value <= _HIGHEST:
        return float(value)
    return value


def prune(
    value: Any, node: Node | None, path: str, pointer: Pointer, unknown: list[Unknown], *, root: bool = False
) -> None:
    """Remove what the schema does not know from `value` in place, and note it in `unknown`."""
    if is_map(value):
        _prune_map(value, node, path, pointer, unknown, root)
    elif not is_list(value):
        return
    elif node is None or not node.preserve:
        items = None if node is None else node.items
        for index, item in open_items(value):
            if type(item) in HOLDERS:
                prune(item, items, index_path(path, index), (*pointer, index), unknown)
    elif node.items is not None:
        for index, item in open_items(value):
            _prune_kept(item, node.items, index_path(path, index), (*pointer, index), unknown)


def _prune_map(
    value: dict[str, Any], node: Node | None, path: str, pointer: Pointer, unknown: list[Unknown], root: bool
) -> None:
    if node is not None and node.preserve:
        _prune_kept(value, node, path, pointer, unknown, root=root)
        return
    embedded = root or (node is not None and node.embedded)
    additional = None if node is None else node.additional
    anything = node is not None and node.additional_any
    for key in open_keys(value):
        if embedded and key in TYPE_META:
            continue
        child = None if node is None else node.child(key) or additional
        if child is not None or anything:
            if type(value[key]) in HOLDERS:
                prune(value[key], child, f"{path}.{key}" if path else key, (*pointer, key), unknown)
        else:
            unknown.append((f"{path}.{key}" if path else key, (*pointer, key)))
            del value[key]


def _prune_kept(
    value: Any, node: Node, path: str, pointer: Pointer, unknown: list[Unknown], *, root: bool = False
) -> None:
    """Prune below a node that keeps unknown fields: only what it declares is looked into."""
    if is_map(value):
        for key in open_keys(value):
            if (root or node.embedded) and key in TYPE_META:
                continue
            child = node.child(key) or node.additional
            if child is not None:
                prune(value[key], child, f"{path}.{key}" if path else key, (*pointer, key), unknown)
    elif is_list(value) and node.items is not None:
        for index, item in open_items(value):
            _prune_kept(item, node.items, index_path(path, index), (*pointer, index), unknown)


def drop_nulls(value: Any, node: Node | None) -> None:
    """Remove, in place, null members that are neither nullable nor have a default."""
    if node is None:
        return
    if is_map(value):
        for key in open_keys(value):
            child = node.child(key) or node.additional
            if child is None:
                continue
            item = value[key]
            if item is None and not child.nullable and child.default is ABSENT:
                del value[key]
            elif type(item) in HOLDERS:
                drop_nulls(item, child)
    elif is_list(value):
        for _, item in open_items(value):
            if type(item) in HOLDERS:
                drop_nulls(item, node.items)


def apply_defaults(value: Any, node: Node | None) -> None:
    """Fill in defaults in place, into what is there and into what was filled in."""
    if node is None or not node.has_default_below:
        return
    if is_map(value):
        for name, child in node.defaulted:
            if name not in value or (value[name] is None and not child.nullable):
                value[name] = copy_json(child.default)
                if type(value) is Open:
                    value.open = (*value.open, name)
        additional = node.additional
        for key in open_keys(value):
            below = node.child(key)
            if below is None and additional is not None:
                below = additional
                if value[key] is None and not additional.nullable:
                    value[key] = None if additional.default is ABSENT else copy_json(additional.default)
            if type(value[key]) in HOLDERS:
                apply_defaults(value[key], below)
    elif is_list(value) and node.items is not None:
        items = node.items
        for index, item in open_items(value):
            if item is None and not items.nullable:
                value[index] = None if items.default is ABSENT else copy_json(items.default)
            apply_defaults(value[index], items)


def normalise_metadata(
    value: Any, node: Node | None, path: str, pointer: Pointer, unknown: list[Unknown], *, root: bool
) -> None:
    """Bring the metadata of the object and of embedded resources into the server's form; may raise `Malformed`."""
    if is_map(value):
        if (root or (node is not None and node.embedded)) and not TYPE_META.isdisjoint(open_keys(value)):
            normalise_object_metadata(value, path, pointer, unknown)
        for key in open_keys(value) if node is not None and node.has_embedded_below else ():
            child = None if node is None else node.child(key) or node.additional
            if child is not None and type(value[key]) in HOLDERS and child.has_embedded_below:
                below = f"{path}.{key}" if path else key
                normalise_metadata(value[key], child, below, (*pointer, key), unknown, root=False)
    elif is_list(value) and node is not None and node.items is not None:
        for index, item in open_items(value):
            normalise_metadata(item, node.items, index_path(path, index), (*pointer, index), unknown, root=False)


def normalise_object_metadata(value: dict[str, Any], path: str, pointer: Pointer, unknown: list[Unknown]) -> None:
    """The same for one object's own metadata."""
    for key in ("apiVersion", "kind"):
        if key in value and type(value[key]) is not str:
            raise Malformed(f"{f'{path}.{key}' if path else key}: must be a string")
    if value.get("metadata", ABSENT) is ABSENT:
        return
    if value["metadata"] is None:
        value["metadata"] = {}
        return
    where = f"{path}.metadata" if path else "metadata"
    value["metadata"], found = clean_metadata(value["metadata"], where, (*pointer, "metadata"))
    unknown.extend(found)
