"""Macros of the exact back end: what their bodies run over, and what becomes of the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from stowplan.cel import access, operators
from stowplan.cel.library.lists import sort_by_keys
from stowplan.cel.limits import charge
from stowplan.cel.problem import CelBudgetError, CelEvaluationError
from stowplan.cel.values import ABSENT, FALSE_KEY, TRUE_KEY, BoolMap, OptionalValue, is_list, kind

__all__ = [
    "Frame",
    "Step",
    "map_of",
    "new_frame",
    "optional",
    "optional_macro",
    "quantifier",
    "scopes",
    "sorter",
    "transformer",
]

Frame = dict[str, Any]
"""Local variables by name; under "." the declared variables, under "" the meter."""
Step = Callable[[Frame], Any]


def new_frame(variables: Any, meter: list[int]) -> Frame:
    """A frame without locals."""
    return {".": variables, "": meter}


def map_of(entries: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """A map from entries; keys must be of a key type and differ."""
    result: dict[Any, Any] = {}
    booleans = False
    for key, value in entries:
        if not isinstance(key, str | int):
            raise operators.fault(f"{kind(key)} cannot be the key of a map")
        stored = (TRUE_KEY if key else FALSE_KEY) if isinstance(key, bool) else key
        booleans = booleans or isinstance(key, bool)
        if stored in result:
            raise operators.fault("the map has the same key twice")
        result[stored] = value
    return BoolMap(result) if booleans else result


def optional(value: Any) -> OptionalValue:
    """The value, which must be an optional one."""
    if isinstance(value, OptionalValue):
        return value
    raise operators.fault(f"`?` needs an optional value, found {kind(value)}")


def scopes(subject: Step, first: str, second: str | None) -> Callable[[Frame], Iterator[Frame]]:
    """Frames with the loop variables set, one for each turn; the frame object is reused."""

    def one(frame: Frame) -> Iterator[Frame]:
        inner = dict(frame)
        for item in access.items(frame[""], subject(frame)):
            inner[first] = item
            yield inner

    def two(frame: Frame) -> Iterator[Frame]:
        inner = dict(frame)
        for key, item in access.pairs(frame[""], subject(frame)):
            inner[first], inner[second or ""] = key, item
            yield inner

    return one if second is None else two


def quantifier(scopes: Callable[[Frame], Iterator[Frame]], body: Step, decisive: bool) -> Step:
    """`all` and `exists`: errors do not count when another element decides."""

    def run(frame: Frame) -> Any:
        failure: CelEvaluationError | None = None
        for inner in scopes(frame):
            try:
                if body(inner) is decisive:
                    return decisive
            except CelBudgetError:
                raise
            except CelEvaluationError as error:
                failure = failure or error
        if failure is not None:
            raise failure
        return not decisive

    return run


def optional_macro(subject: Step, body: Step, name: str, wrap: bool) -> Step:
    """`optMap` and `optFlatMap`."""

    def run(frame: Frame) -> OptionalValue:
        value = subject(frame)
        if not isinstance(value, OptionalValue):
            raise operators.fault(f"expected an optional value, found {kind(value)}")
        if not value.present:
            return ABSENT
        result = body({**frame, name: value.value})
        return OptionalValue(True, result) if wrap else optional(result)

    return run


def sorter(subject: Step, scopes: Callable[[Frame], Iterator[Frame]], body: Step) -> Step:
    """`sortBy`."""

    def run(frame: Frame) -> list[Any]:
        values = subject(frame)
        if not is_list(values):
            raise operators.fault(f"`sortBy` needs a list, found {kind(values)}")
        return sort_by_keys(frame[""], list(values), [body(inner) for inner in scopes(frame)])

    return run


def transformer(
    macro: str, scopes: Callable[[Frame], Iterator[Frame]], first: str, condition: Step | None, body: Step
) -> Step:
    """`map` and the `transform` family."""

    def chosen(frame: Frame) -> Iterator[Frame]:
        for inner in scopes(frame):
            if condition is None or condition(inner):
                yield inner

    if macro in ("map", "transformList"):
        return lambda frame: [body(inner) for inner in chosen(frame)]
    if macro == "transformMap":
        return lambda frame: map_of([(inner[first], body(inner)) for inner in chosen(frame)])

    def entries(frame: Frame) -> dict[Any, Any]:
        found: list[tuple[Any, Any]] = []
        for inner in chosen(frame):
            pairs = list(access.pairs(frame[""], body(inner)))
            charge(frame[""], len(pairs))
            found.extend(pairs)
        return map_of(found)

    return entries
