"""Validation of single values in the server's order and words: type, bounds, pattern, format, enum."""

from __future__ import annotations

import math
from typing import Any

from stowplan.schema.comparing import same_value
from stowplan.schema.formats import checker, compile_pattern
from stowplan.schema.leaves import INT32, INT64, Check, Unwell, one_of, refuse, remembering, string_tests, typed, within
from stowplan.schema.node import ABSENT, Node
from stowplan.schema.unsettled import Open, OpenList
from stowplan.schema.verdict import FieldError
from stowplan.schema.wording import NOTHING, go_number, go_quote, invalid, not_supported, too_long, type_invalid
from stowplan.source.span import Pointer

__all__ = [
    "Findings",
    "check_enum",
    "check_null",
    "check_number",
    "check_string",
    "check_type",
    "is_whole",
    "leaf_worth",
    "said",
]

_PLAIN_FORMATS = frozenset({("integer", "int32"), ("integer", "int64")})
_SAFE = 2.0**53 - 1
_NAMES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    dict: "object",
    Open: "object",
    list: "array",
    OpenList: "array",
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


_WORTH = {str: 7, int: 8, bool: 6}
"""What a well value counts when the best of several alternatives is looked for."""


def leaf_worth(value: Any, node: Node) -> int:
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
    low, high = INT32 if node.format == "int32" else INT64
    low, high = max(low, bounds[0]), min(high, bounds[1])

    def check(value: Any) -> Any:
        return value if type(value) is int and low <= value <= high else refuse(value)

    return check


def said(path: str) -> str:
    """A path as messages have it."""
    return path.removeprefix(".") if path != "." else ""


def _wrong_type(path: str, wanted: str, actual: str, pointer: Pointer) -> FieldError:
    detail = f"{path} in body must be of type {wanted}: {go_quote(actual)}"
    return type_invalid(said(path) or NOTHING, actual, detail, pointer)


def check_null(found: Findings, node: Node, types: tuple[str, ...], path: str, pointer: Pointer) -> None:
    """A null, which is right where the node is nullable and its enum does not say otherwise."""
    if types and not node.nullable:
        found.note(_wrong_type(path, ",".join(types), "null", pointer))
    check_enum(found, None, node, path, pointer)


def check_type(found: Findings, value: Any, types: tuple[str, ...], written: str, path: str, pointer: Pointer) -> None:
    """A value against the types and the format of its node."""
    kind = type(value)
    name, own_format = _NAMES[kind], _FORMATS_OF.get(kind, "")
    float_integer = kind is float and "integer" in types and is_whole(value)
    integer_number = kind is int and "number" in types
    fits = name in types or float_integer
    if written and name not in ("string", "array") and not (fits or own_format == written or integer_number):
        found.note(_wrong_type(path, written, own_format, pointer))
    elif written and name in ("string", "array") and "number" not in types and "integer" not in types:
        found.matches += 1
    elif not fits and not integer_number:
        found.note(_wrong_type(path, ",".join(types), name, pointer))
    else:
        found.matches += 1


def check_string(found: Findings, value: str, node: Node, written: str, path: str, pointer: Pointer) -> None:
    """A text's length, pattern, and format."""
    found.matches += 1
    where, length = said(path) or NOTHING, len(value)
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
        low, high = INT32 if written == "int32" else INT64
        fits = (type(value) is int or value.is_integer()) and low <= value <= high
    elif written == "float":
        fits = abs(value) <= 3.4028235677973366e38
    else:
        return ""
    if fits:
        return ""
    tail = f"with format {written} in {path}" if written else f"(default format) in {path}"
    return f"{prefix} value must be of type {kind or 'number'} {tail}"


def check_number(
    found: Findings, value: float, node: Node, types: tuple[str, ...], written: str, path: str, pointer: Pointer
) -> None:
    """A number's range, bounds, and factor."""
    found.matches += 2
    kind = types[0] if len(types) == 1 and types[0] in ("integer", "number") else ""
    written = written if kind else ""
    fault = _range_fault(value, kind, written, "Checked", path)
    if fault:
        found.note(invalid(NOTHING, "", fault, pointer))
    where = said(path) or NOTHING
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


def check_enum(found: Findings, value: Any, node: Node, path: str, pointer: Pointer) -> None:
    """A value against the closed set of its node."""
    if node.enum and not any(_enum_equal(value, allowed) for allowed in node.enum):
        found.note(not_supported(said(path) or NOTHING, value, node.enum, pointer))


def _enum_equal(value: Any, allowed: Any) -> bool:
    if value is None or allowed is None:
        return False
    if type(value) in (int, float) and type(allowed) in (int, float):
        return bool((math.trunc(value) if type(allowed) is int else value) == allowed)
    return same_value(value, allowed)
