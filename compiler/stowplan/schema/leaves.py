"""Checks of single values: scalars, free-form data, and whether the items of a list differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stowplan.schema.formats import compile_pattern
from stowplan.schema.node import Node

__all__ = [
    "INT32",
    "INT64",
    "UNWELL",
    "Check",
    "Trail",
    "Unwell",
    "all_different",
    "bare",
    "copy_plain",
    "one_of",
    "only_repeats",
    "refuse",
    "remembering",
    "scalar_only",
    "string_tests",
    "typed",
    "within",
]

Check = Callable[[Any], Any]
"""Takes a value that is not null; returns it pruned and with defaults, or raises `Unwell`."""

INT32, INT64 = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
_REMEMBERED = 8192
_MEMORABLE = 256


Trail = dict[int, tuple[int, Any, Sequence[Any]]]


class Unwell(Exception):
    """The value is not plainly right: the full walk has to look.

    `trail` has the identities of the maps and lists on the way to what is wrong, with the number of the node they stand
    at, a copy whose well members are pruned and defaulted, and the keys or places of those that are not well.
    """

    trail: Trail | None = None


UNWELL = Unwell()


def refuse(_value: Any) -> Any:
    """Lets nothing pass: for nodes that only the full walk can judge."""
    raise Unwell


def copy_plain(value: Any) -> Any:
    """A deep copy of any value; integers beyond 64 bits and whole floats are for the full walk."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict:
        return {key: copy_plain(item) for key, item in value.items()}
    if kind is list:
        return [copy_plain(item) for item in value]
    if kind is float:
        return value if not value.is_integer() else refuse(value)
    if kind is int and INT64[0] <= value <= INT64[1]:
        return value
    raise Unwell


def scalar_only(value: Any) -> Any:
    """Where any value may stand but the members of a map would be pruned."""
    if type(value) in (dict, list):
        raise Unwell
    return copy_plain(value)


def typed(wanted: type) -> Check:
    """Lets values of exactly one type pass."""

    def check(value: Any) -> Any:
        if type(value) is wanted:
            return value
        raise Unwell

    return check


def only_repeats(node: Node) -> bool:
    """Whether the alternatives only repeat what int-or-string says anyway."""
    if not node.int_or_string or any(node.raw.get(key) is not None for key in ("allOf", "oneOf", "not")):
        return False
    options = node.alternatives("anyOf")
    plain = all(option.raw.keys() == {"type"} for option in options)
    return plain and sorted(option.type for option in options) == ["integer", "string"]


def bare(node: Node) -> bool:
    """Whether a node says no more than that anything may stand there."""
    return node.raw.keys() <= {"x-kubernetes-preserve-unknown-fields", "nullable", "type", "default"}


def within(node: Node) -> tuple[int, int] | None:
    """The integers that the bounds allow, or None where the bounds are not plain."""
    low, high = INT64
    for bound, exclusive, step in (
        (node.minimum, node.exclusive_minimum, 1),
        (node.maximum, node.exclusive_maximum, -1),
    ):
        if bound is None:
            continue
        if bound != int(bound) or abs(bound) > 2**53:
            return None
        edge = int(bound) + step * exclusive
        low, high = (edge, high) if step == 1 else (low, edge)
    return low, high


def string_tests(node: Node, format_check: Callable[[str], bool] | None) -> tuple[Callable[[str], Any], ...]:
    """What a string at `node` has to pass: length in code points, pattern, format."""
    tests: list[Callable[[str], Any]] = []
    low, high = node.min_length or 0, node.max_length
    if low or high is not None:
        most = high if high is not None else 1 << 62
        tests.append(lambda text: low <= len(text) <= most)
    if node.pattern:
        matcher = compile_pattern(node.pattern)
        tests.append(matcher.search if matcher is not None else lambda _text: False)
    if format_check is not None:
        tests.append(format_check)
    return tuple(tests)


def remembering(tests: tuple[Callable[[str], Any], ...]) -> Check:
    """A check that applies `tests` to a string it has not let pass before; its memory is bounded."""
    passed: set[str] = set()

    def check(value: Any) -> Any:
        if type(value) is not str:
            raise Unwell
        if value in passed:
            return value
        for test in tests:
            if not test(value):
                raise Unwell
        if len(value) <= _MEMORABLE and len(passed) < _REMEMBERED:
            passed.add(value)
        return value

    return check


def one_of(allowed: frozenset[str], tests: tuple[Callable[[str], Any], ...]) -> Check:
    """Lets the strings of an enum pass, less those that `tests` refuse."""
    passing = frozenset(text for text in allowed if all(test(text) for test in tests))

    def check(value: Any) -> Any:
        if type(value) is str and value in passing:
            return value
        raise Unwell

    return check


def all_different(list_type: str, keys: tuple[str, ...]) -> Callable[[list[Any]], bool] | None:
    """A quick test that no item of a set or keyed list stands twice; False may be a false alarm."""
    if list_type == "set":
        return _distinct
    if list_type != "map":
        return None
    if len(keys) == 1:
        key = keys[0]
        return lambda items: _distinct([item.get(key) if type(item) is dict else None for item in items])
    return lambda items: _distinct([tuple(map(item.get, keys)) if type(item) is dict else None for item in items])


def _distinct(values: list[Any]) -> bool:
    try:
        return len(set(values)) == len(values)
    except TypeError:
        return False
