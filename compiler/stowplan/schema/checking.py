"""Value validation in the server's order and words: types, bounds, patterns, formats, enums and alternatives."""

from __future__ import annotations

import math
from typing import Any

from stowplan.schema.comparing import UNRELATED, same_value
from stowplan.schema.formats import checker, compile_pattern, effective_format
from stowplan.schema.leaves import Check, Unwell, one_of, refuse, remembering, string_tests, typed, within
from stowplan.schema.node import ABSENT, Node
from stowplan.schema.sealing import is_sealed
from stowplan.schema.verdict import FieldError
from stowplan.schema.wording import (
    NOTHING,
    go_number,
    go_quote,
    index_path,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
    type_invalid,
)
from stowplan.source.span import Pointer

__all__ = ["Findings", "check_value", "is_whole", "related_items"]

_INT32, _INT64 = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
_PLAIN_FORMATS = frozenset({("integer", "int32"), ("integer", "int64")})
_SAFE = 2.0**53 - 1
_NAMES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    dict: "object",
    list: "array",
}
_FORMATS_OF: dict[type, str] = {int: "int64", float: "float64"}


class Findings:
    """The causes found so far, each text once, and how much did match (which picks the best alternative)."""

    __slots__ = ("errors", "matches", "texts")

    def __init__(self) -> None:
        self.errors: list[FieldError] = []
        self.texts: set[str] = set()
        self.matches = 0

    def add(self, text: str, error: FieldError) -> None:
        """Note a cause unless one of the same text is there already."""
        if text not in self.texts:
            self.texts.add(text)
            self.errors.append(error)

    def merge(self, other: Findings) -> None:
        """Take over another node's causes."""
        self.matches += other.matches
        for error in other.errors:
            self.add(f"{error.field}\0{error.message}", error)

    def note(self, error: FieldError) -> None:
        """Note a cause that is told apart by field and text."""
        self.add(f"{error.field}\0{error.message}", error)


def is_whole(value: float) -> bool:
    """Whether a float counts as an integer for a type check."""
    if not math.isfinite(value) or not -_SAFE <= value <= _SAFE:
        return False
    whole = float(math.trunc(value))
    if value == whole:
        return True
    return value > 0 and whole > 0 and abs(value - whole) / (value + whole) < 1e-9


def check_value(
    value: Any, node: Node, path: str, pointer: Pointer, minor: int, old: Any = UNRELATED, *, root: bool = False
) -> Findings:
    """Everything the schema at `node` says against `value`; unchanged parts of an update are let pass."""
    if is_sealed(value):
        return Findings()
    found = _check(value, node, path, pointer, minor, old, root)
    if found.errors and old is not UNRELATED and same_value(value, old):
        passed = Findings()
        passed.matches = found.matches
        return passed
    return found


def _check(value: Any, node: Node, path: str, pointer: Pointer, minor: int, old: Any, root: bool) -> Findings:
    found = Findings()
    types = ("integer", "string") if node.int_or_string else (node.type,) if node.type else ()
    written = effective_format(node.type if not node.int_or_string else "both", node.format, minor)
    if value is None:
        if types and not node.nullable:
            found.note(_wrong_type(path, ",".join(types), "null", pointer))
        _check_enum(found, value, node, path, pointer)
        return found
    if types or written:
        _check_type(found, value, types, written, path, pointer)
        found.matches += 1
    if node.has_alternatives:
        _check_alternatives(found, value, node, path, pointer, minor, old)
    found.matches += 2
    kind = type(value)
    if kind is str:
        _check_string(found, value, node, written, path, pointer)
    elif kind is int or kind is float:
        _check_number(found, value, node, types, written, path, pointer)
    elif kind is list:
        _check_list(found, value, node, path, pointer, minor, old)
    _check_enum(found, value, node, path, pointer)
    if kind is dict:
        _check_map(found, value, node, path, pointer, minor, old, root)
    found.matches += 2
    return found


_SCALARS = frozenset({str, int, bool})
_WORTH = {str: 7, int: 8, bool: 6}
"""What a well value counts when the best of several alternatives is looked for."""


def _leaf_worth(value: Any, node: Node) -> int:
    """What a scalar counts if it is plainly well at `node`; else 0. How to tell is remembered at the node."""
    check = node.leaf
    if check is ABSENT:
        check = node.leaf = _leaf_check(node)
    if check is None:
        return 0
    try:
        check(value)
    except Unwell:
        return 0
    return _WORTH[type(value)]


def _leaf_check(node: Node) -> Check | None:
    """The check of scalars at a node whose server asks for nothing out of the ordinary; None at others."""
    if node.int_or_string or node.has_alternatives or (node.format and (node.type, node.format) not in _PLAIN_FORMATS):
        return None
    if node.type == "string" and all(type(allowed) is str for allowed in node.enum):
        tests = string_tests(node, None)
        return one_of(frozenset(node.enum), tests) if node.enum else remembering(tests)
    if node.enum:
        return None
    if node.type == "boolean":
        return typed(bool)
    bounds = within(node) if node.type == "integer" and node.multiple_of is None else None
    if bounds is None:
        return None
    low, high = _INT32 if node.format == "int32" else _INT64
    low, high = max(low, bounds[0]), min(high, bounds[1])

    def check(value: Any) -> Any:
        return value if type(value) is int and low <= value <= high else refuse(value)

    return check


def _said(path: str) -> str:
    return path.removeprefix(".") if path != "." else ""


def _wrong_type(path: str, wanted: str, actual: str, pointer: Pointer) -> FieldError:
    detail = f"{path} in body must be of type {wanted}: {go_quote(actual)}"
    return type_invalid(_said(path) or NOTHING, actual, detail, pointer)


def _check_type(found: Findings, value: Any, types: tuple[str, ...], written: str, path: str, pointer: Pointer) -> None:
    kind = type(value)
    name, own_format = _NAMES[kind], _FORMATS_OF.get(kind, "")
    float_integer = kind is float and "integer" in types and is_whole(value)
    integer_number = kind is int and "number" in types
    fits = name in types or float_integer
    if written and kind is not str and kind is not list and not (fits or own_format == written or integer_number):
        found.note(_wrong_type(path, written, own_format, pointer))
    elif written and (kind is str or kind is list) and "number" not in types and "integer" not in types:
        found.matches += 1
    elif not fits and not integer_number:
        found.note(_wrong_type(path, ",".join(types), name, pointer))
    else:
        found.matches += 1


def _check_string(found: Findings, value: str, node: Node, written: str, path: str, pointer: Pointer) -> None:
    found.matches += 1
    where, length = _said(path) or NOTHING, len(value)
    if node.max_length is not None and length > node.max_length:
        found.note(too_long(where, int(node.max_length), pointer))
    elif node.min_length is not None and length < node.min_length:
        detail = f"{path} in body should be at least {int(node.min_length)} chars long"
        found.note(invalid(where, value, detail, pointer))
    elif node.pattern:
        matcher = compile_pattern(node.pattern)
        if matcher is None:
            detail = f"{path} in body should match '{node.pattern}, but pattern is invalid'"
            found.note(invalid(where, value, detail, pointer))
        elif matcher.search(value) is None:
            found.note(invalid(where, value, f"{path} in body should match '{node.pattern}'", pointer))
    check = checker(written) if written else None
    if check is not None:
        found.matches += 1
        if not check(value):
            detail = f"{path} in body must be of type {written}: {go_quote(value)}"
            found.note(type_invalid(where, value, detail, pointer))


def _range_fault(value: float, kind: str, written: str, prefix: str, path: str) -> str:
    """What the server says if a number lies outside its type's and format's range; empty when it does not."""
    if kind == "integer":
        low, high = _INT32 if written == "int32" else _INT64
        fits = (type(value) is int or value.is_integer()) and low <= value <= high
    elif written == "float":
        fits = abs(value) <= 3.4028235677973366e38
    else:
        return ""
    if fits:
        return ""
    tail = f"with format {written} in {path}" if written else f"(default format) in {path}"
    return f"{prefix} value must be of type {kind or 'number'} {tail}"


def _check_number(
    found: Findings, value: float, node: Node, types: tuple[str, ...], written: str, path: str, pointer: Pointer
) -> None:
    found.matches += 2
    kind = types[0] if len(types) == 1 and types[0] in ("integer", "number") else ""
    written = written if kind else ""
    fault = _range_fault(value, kind, written, "Checked", path)
    if fault:
        found.note(invalid(NOTHING, "", fault, pointer))
    where = _said(path) or NOTHING
    if node.multiple_of is not None and not _is_multiple(value, node.multiple_of):
        detail = f"{path} in body should be a multiple of {go_number(node.multiple_of)}"
        found.note(invalid(where, value, detail, pointer))
    for bound, word, exclusive, prefix in (
        (node.minimum, "greater", node.exclusive_minimum, "Minimum boundary"),
        (node.maximum, "less", node.exclusive_maximum, "Maximum boundary"),
    ):
        if bound is None:
            continue
        fault = _range_fault(_bound(bound), kind, written, prefix, path)
        if fault:
            found.note(invalid(NOTHING, "", fault, pointer))
        limit = math.trunc(bound) if type(value) is int and not fault else float(bound)
        beyond = value < limit if word == "greater" else value > limit
        if beyond or (exclusive and value == limit):
            than = "than" if exclusive else "than or equal to"
            detail = f"{path} in body should be {word} {than} {go_number(limit)}"
            found.note(invalid(where, value, detail, pointer))


def _bound(bound: float) -> float:
    return float(bound) if type(bound) is int and abs(bound) > _SAFE else bound


def _is_multiple(value: float, factor: float) -> bool:
    if factor <= 0:
        return False
    if type(value) is int:
        return math.trunc(factor) != 0 and value % math.trunc(factor) == 0
    return is_whole(value * (1 / factor) if factor < 1 else value / factor)


def _check_list(
    found: Findings, value: list[Any], node: Node, path: str, pointer: Pointer, minor: int, old: Any
) -> None:
    found.matches += 2
    items, where = node.items, _said(path) or NOTHING
    if items is not None:
        related = related_items(value, node, old)
        for index, item in enumerate(value):
            if type(item) in _SCALARS and (worth := _leaf_worth(item, items)):
                found.matches += worth
                continue
            before = related[index] if related else UNRELATED
            found.merge(check_value(item, items, index_path(path, index), (*pointer, index), minor, before))
    if node.min_items is not None and len(value) < node.min_items:
        detail = f"{path} in body should have at least {int(node.min_items)} items"
        found.note(invalid(where, len(value), detail, pointer))
    if node.max_items is not None and len(value) > node.max_items:
        found.note(too_many(where, len(value), int(node.max_items), pointer))
    if node.unique_items and any(same_value(a, b) for i, a in enumerate(value) for b in value[:i]):
        found.note(invalid(where, "", f"{path} in body shouldn't contain duplicates", pointer))


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
    where, count = _said(path) or NOTHING, len(value)
    if node.min_properties is not None and count < node.min_properties:
        detail = f"{path} in body should have at least {int(node.min_properties)} properties"
        found.note(invalid(where, count, detail, pointer))
    if node.max_properties is not None and count > node.max_properties:
        found.note(too_many(where, count, int(node.max_properties), pointer))
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
        if type(item) in _SCALARS and (worth := _leaf_worth(item, child)):
            found.matches += worth
            continue
        if is_sealed(item):
            continue
        past = UNRELATED if root and key in ("apiVersion", "kind") else before.get(key, UNRELATED)
        found.merge(check_value(item, child, below, (*pointer, key), minor, past))
    for key in node.required:
        if key not in value:
            found.note(required(_said(f"{path}.{key}"), "", (*pointer, key)))


def _check_enum(found: Findings, value: Any, node: Node, path: str, pointer: Pointer) -> None:
    if node.enum and not any(_enum_equal(value, allowed) for allowed in node.enum):
        found.note(not_supported(_said(path) or NOTHING, value, node.enum, pointer))


def _enum_equal(value: Any, allowed: Any) -> bool:
    if value is None or allowed is None:
        return False
    if type(value) in (int, float) and type(allowed) in (int, float):
        return bool((math.trunc(value) if type(allowed) is int else value) == allowed)
    return same_value(value, allowed)


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
        results = [_check(value, option, path, pointer, minor, old, False) for option in all_of]
        valid = sum(not result.errors for result in results)
        for result in results:
            found.merge(result)
        if valid != len(all_of):
            text = f"{shown} must validate all the schemas (allOf){'' if valid else '. None validated'}"
            found.note(invalid(NOTHING, "", text, pointer))
    for option in node.alternatives("not"):
        if not _check(value, option, path, pointer, minor, old, False).errors:
            found.note(invalid(NOTHING, "", f"{shown} must not validate the schema (not)", pointer))


def _best(value: Any, options: tuple[Node, ...], path: str, pointer: Pointer, minor: int, old: Any) -> Findings:
    """The first alternative that holds, else the one of which most matched."""
    best: Findings | None = None
    for option in options:
        result = _check(value, option, path, pointer, minor, old, False)
        if not result.errors:
            return result
        if best is None or result.matches > best.matches:
            best = result
    assert best is not None, "the caller has alternatives"
    return best


def _check_one_of(
    found: Findings, value: Any, options: tuple[Node, ...], path: str, pointer: Pointer, minor: int, old: Any
) -> None:
    results = [_check(value, option, path, pointer, minor, old, False) for option in options]
    good = [result for result in results if not result.errors]
    if len(good) == 1:
        found.merge(good[0])
        return
    says = f"Found {len(good)} valid alternatives" if good else "Found none valid"
    text = f"{go_quote(path)} must validate one and only one schema (oneOf). {says}"
    found.note(invalid(NOTHING, "", text, pointer))
    if not good:
        found.merge(max(results, key=lambda result: result.matches))
