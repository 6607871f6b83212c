"""List topology: duplicates in lists of type set and map, as the server reports them."""

from __future__ import annotations

from typing import Any

from stowplan.schema.node import Node
from stowplan.schema.unsettled import HOLDERS, is_list, is_map, open_items, open_keys
from stowplan.schema.verdict import FieldError
from stowplan.schema.wording import duplicate, index_path, invalid, json_text, key_path
from stowplan.source.span import Pointer

__all__ = ["check_lists", "repeated"]


def check_lists(value: Any, node: Node, path: str, pointer: Pointer) -> list[FieldError]:
    """The duplicates in `value`, which has its defaults already."""
    found: list[FieldError] = []
    if not node.has_topology_below:
        return found
    if is_map(value):
        additional = node.additional
        for key in open_keys(value):
            item = value[key]
            if type(item) not in HOLDERS:
                continue
            if additional is not None:
                found += check_lists(item, additional, key_path(path, key), (*pointer, key))
            child = node.child(key)
            if child is not None:
                found += check_lists(item, child, f"{path}.{key}" if path else key, (*pointer, key))
    elif is_list(value):
        if node.list_type == "set":
            found += [duplicate(index_path(path, i), value[i], (*pointer, i)) for i in repeated(value)]
        elif node.list_type == "map":
            found += _check_keyed(value, node, path, pointer)
        items = node.items
        if items is not None:
            for index, item in open_items(value):
                found += check_lists(item, items, index_path(path, index), (*pointer, index))
    return found


def _check_keyed(value: list[Any], node: Node, path: str, pointer: Pointer) -> list[FieldError]:
    for index, item in enumerate(value):
        if item is not None and not isinstance(item, dict):
            detail = "must be an object for an array of list-type map"
            return [invalid(index_path(path, index), item, detail, (*pointer, index))]
    keys = [{key: item[key] for key in node.map_keys if key in item} if item else {} for item in value]
    return [duplicate(index_path(path, i), keys[i], (*pointer, i)) for i in repeated(keys)]


def repeated(values: list[Any]) -> list[int]:
    """The places where a value stands for the second time (further repeats are not told)."""
    seen: dict[Any, int] = {}
    places: list[int] = []
    for index, value in enumerate(values):
        kind = type(value)
        key = json_text(value) if isinstance(value, dict | list) else (kind.__name__, value)
        count = seen[key] = seen.get(key, 0) + 1
        if count == 2:
            places.append(index)
    return places
