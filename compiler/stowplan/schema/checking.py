"""Validation of values with all below them, in the server's order and words: members, items, and alternatives."""

from __future__ import annotations

from typing import Any

from stowplan.schema.comparing import UNRELATED, same_value
from stowplan.schema.formats import effective_format
from stowplan.schema.node import Node
from stowplan.schema.scalars import (
    Findings,
    check_enum,
    check_null,
    check_number,
    check_string,
    check_type,
    leaf_worth,
    said,
)
from stowplan.schema.unsettled import Open, OpenList, is_list, is_map, open_items, open_keys
from stowplan.schema.wording import NOTHING, go_quote, index_path, invalid, required, too_many
from stowplan.source.span import Pointer

__all__ = ["check_count", "check_length", "check_part", "check_required", "check_value", "related_items"]

_SCALARS = frozenset({str, int, bool})


def check_value(
    value: Any, node: Node, path: str, pointer: Pointer, minor: int, old: Any = UNRELATED, *, root: bool = False
) -> Findings:
    """Everything the schema at `node` says against `value`; unchanged parts of an update are let pass."""
    found = Findings()
    _visit(found, value, node, path, pointer, minor, old, root)
    return found


def check_part(found: Findings, value: Any, node: Node, path: str, pointer: Pointer, minor: int) -> None:
    """The same for a part of an object, into what was found so far."""
    _visit(found, value, node, path, pointer, minor, UNRELATED)


def _visit(
    found: Findings, value: Any, node: Node, path: str, pointer: Pointer, minor: int, old: Any, root: bool = False
) -> None:
    if type(value) is Open and node.type == "object" and not node.enum:
        _check_open(found, value, node, path, pointer, minor)
    elif old is UNRELATED:
        _check(found, value, node, path, pointer, minor, old, root)
    else:
        own = Findings()
        _check(own, value, node, path, pointer, minor, old, root)
        if own.errors and same_value(value, old):
            found.matches += own.matches
        else:
            found.merge(own)


def _checked(value: Any, node: Node, path: str, pointer: Pointer, minor: int, old: Any) -> Findings:
    found = Findings()
    _check(found, value, node, path, pointer, minor, old, False)
    return found


def _check(
    found: Findings, value: Any, node: Node, path: str, pointer: Pointer, minor: int, old: Any, root: bool
) -> None:
    types = ("integer", "string") if node.int_or_string else (node.type,) if node.type else ()
    written = effective_format(node.type if not node.int_or_string else "both", node.format, minor)
    if value is None:
        check_null(found, node, types, path, pointer)
        return
    if types or written:
        check_type(found, value, types, written, path, pointer)
        found.matches += 1
    if node.has_alternatives:
        _check_alternatives(found, value, node, path, pointer, minor, old)
    found.matches += 2
    kind = type(value)
    if kind is str:
        check_string(found, value, node, written, path, pointer)
    elif kind is int or kind is float:
        check_number(found, value, node, types, written, path, pointer)
    elif is_list(value):
        _check_list(found, value, node, path, pointer, minor, old)
    check_enum(found, value, node, path, pointer)
    if is_map(value):
        _check_map(found, value, node, path, pointer, minor, old, root)
    found.matches += 2


def _check_list(
    found: Findings, value: list[Any], node: Node, path: str, pointer: Pointer, minor: int, old: Any
) -> None:
    found.matches += 2
    items, where = node.items, said(path) or NOTHING
    if items is not None:
        related, is_open = related_items(value, node, old), type(value) is OpenList
        for index, item in open_items(value):
            if type(item) in _SCALARS and not is_open and (worth := leaf_worth(item, items)):
                found.matches += worth
                continue
            before = related[index] if related else UNRELATED
            _visit(found, item, items, index_path(path, index), (*pointer, index), minor, before)
    check_length(found, value, node, path, pointer)
    if node.unique_items and any(same_value(a, b) for i, a in enumerate(value) for b in value[:i]):
        found.note(invalid(where, "", f"{path} in body shouldn't contain duplicates", pointer))


def check_length(found: Findings, value: list[Any], node: Node, path: str, pointer: Pointer) -> None:
    """The number of a list's items."""
    if node.min_items is None and node.max_items is None:
        return
    where = said(path) or NOTHING
    if node.min_items is not None and len(value) < node.min_items:
        detail = f"{path} in body should have at least {int(node.min_items)} items"
        found.note(invalid(where, len(value), detail, pointer))
    if node.max_items is not None and len(value) > node.max_items:
        found.note(too_many(where, len(value), int(node.max_items), pointer))


def related_items(value: list[Any], node: Node, old: Any) -> list[Any] | None:
    """For each item of a keyed list its counterpart in the old list, or None if items have none."""
    if type(old) is not list or node.list_type != "map":
        return None
    by_key: dict[str, Any] = {}
    for item in old:
        if type(item) is dict:
            by_key.setdefault(repr([item.get(key) for key in node.map_keys]), item)
    return [
        by_key.get(repr([item.get(key) for key in node.map_keys]), UNRELATED) if type(item) is dict else UNRELATED
        for item in value
    ]


def _check_map(
    found: Findings, value: dict[str, Any], node: Node, path: str, pointer: Pointer, minor: int, old: Any, root: bool
) -> None:
    found.matches += 1
    check_count(found, value, node, path, pointer)
    before = old if type(old) is dict else {}
    additional = node.additional
    for key, item in value.items():
        child = node.child(key)
        if child is not None:
            below = f"{path}.{key}" if path else key
        elif additional is not None:
            child, below = additional, f"{path}.{key}"
        else:
            continue
        if type(item) in _SCALARS and (worth := leaf_worth(item, child)):
            found.matches += worth
            continue
        past = UNRELATED if root and key in ("apiVersion", "kind") else before.get(key, UNRELATED)
        _visit(found, item, child, below, (*pointer, key), minor, past)
    check_required(found, value, node, path, pointer)


def _check_open(found: Findings, value: Open, node: Node, path: str, pointer: Pointer, minor: int) -> None:
    """A map of the right type, not below alternatives, with no old value: what counts are its causes alone."""
    check_count(found, value, node, path, pointer)
    additional = node.additional
    for key in open_keys(value):
        child = node.child(key)
        if child is not None:
            _visit(found, value[key], child, f"{path}.{key}" if path else key, (*pointer, key), minor, UNRELATED)
        elif additional is not None:
            _visit(found, value[key], additional, f"{path}.{key}", (*pointer, key), minor, UNRELATED)
    check_required(found, value, node, path, pointer)


def check_required(found: Findings, value: dict[str, Any], node: Node, path: str, pointer: Pointer) -> None:
    """The members that a map must have."""
    for key in node.required:
        if key not in value:
            found.note(required(said(f"{path}.{key}"), "", (*pointer, key)))


def check_count(found: Findings, value: dict[str, Any], node: Node, path: str, pointer: Pointer) -> None:
    """The number of a map's members."""
    if node.min_properties is None and node.max_properties is None:
        return
    where, count = said(path) or NOTHING, len(value)
    if node.min_properties is not None and count < node.min_properties:
        detail = f"{path} in body should have at least {int(node.min_properties)} properties"
        found.note(invalid(where, count, detail, pointer))
    if node.max_properties is not None and count > node.max_properties:
        found.note(too_many(where, count, int(node.max_properties), pointer))


def _check_alternatives(
    found: Findings, value: Any, node: Node, path: str, pointer: Pointer, minor: int, old: Any
) -> None:
    shown = go_quote(path)
    any_of = node.alternatives("anyOf")
    if any_of:
        best = _best(value, any_of, path, pointer, minor, old)
        if best.errors:
            text = f"{shown} must validate at least one schema (anyOf)"
            found.note(invalid(NOTHING, "", text, pointer))
        found.merge(best)
    one_of = node.alternatives("oneOf")
    if one_of:
        _check_one_of(found, value, one_of, path, pointer, minor, old)
    all_of = node.alternatives("allOf")
    if all_of:
        results = [_checked(value, option, path, pointer, minor, old) for option in all_of]
        valid = sum(not result.errors for result in results)
        for result in results:
            found.merge(result)
        if valid != len(all_of):
            text = f"{shown} must validate all the schemas (allOf){'' if valid else '. None validated'}"
            found.note(invalid(NOTHING, "", text, pointer))
    for option in node.alternatives("not"):
        if not _checked(value, option, path, pointer, minor, old).errors:
            found.note(invalid(NOTHING, "", f"{shown} must not validate the schema (not)", pointer))


def _best(value: Any, options: tuple[Node, ...], path: str, pointer: Pointer, minor: int, old: Any) -> Findings:
    """The first alternative that holds, else the one of which most matched."""
    best: Findings | None = None
    for option in options:
        result = _checked(value, option, path, pointer, minor, old)
        if not result.errors:
            return result
        if best is None or result.matches > best.matches:
            best = result
    assert best is not None, "the caller has alternatives"
    return best


def _check_one_of(
    found: Findings, value: Any, options: tuple[Node, ...], path: str, pointer: Pointer, minor: int, old: Any
) -> None:
    results = [_checked(value, option, path, pointer, minor, old) for option in options]
    good = [result for result in results if not result.errors]
    if len(good) == 1:
        found.merge(good[0])
        return
    says = f"Found {len(good)} valid alternatives" if good else "Found none valid"
    text = f"{go_quote(path)} must validate one and only one schema (oneOf). {says}"
    found.note(invalid(NOTHING, "", text, pointer))
    if not good:
        found.merge(max(results, key=lambda result: result.matches))
