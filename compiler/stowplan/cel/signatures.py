"""Which functions exist, since which Kubernetes minor, and how a call is dispatched on its arguments' kinds."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple

from stowplan.cel.library import Signatures
from stowplan.cel.operators import no_overload
from stowplan.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    ListType,
    MapType,
    OptionalType,
    Parameter,
    Type,
)  # fmt: skip
from stowplan.cel.values import (
    Duration,
    OptionalValue,
    Timestamp,
    TypeValue,
    UInt,
    as_timestamp,
    is_list,
    is_map,
)  # fmt: skip

__all__ = ["POLICY_ONLY", "Function", "Overload", "function_names", "lookup", "restrict"]

POLICY_ONLY: Final = 1000
"""Stands for "no Kubernetes minor" in `Overload.since`."""

_SIGNATURE = re.compile(r"(?:\((?P<receiver>[^)]*)\)\.)?(?P<name>[\w.]+)\((?P<arguments>.*)\) -> (?P<result>.+)\Z")
_SIMPLE: Final[dict[str, Type]] = {
    t.name: t for t in (BOOL, BYTES, DOUBLE, DURATION, DYN, INT, NULL, STRING, TIMESTAMP, TYPE, UINT)
}


class Overload(NamedTuple):
    """One way to call a function. `parameters` starts with the receiver for a method."""

    name: str
    member: bool
    parameters: tuple[Type, ...]
    result: Type
    call: Callable[..., Any]
    metered: bool
    since: int


class Function(NamedTuple):
    """A function with the overloads that may be meant, and the callable that picks among them.

    `call` takes the meter first when `metered`.
    """

    name: str
    member: bool
    overloads: tuple[Overload, ...]
    metered: bool
    call: Callable[..., Any]

    @property
    def since(self) -> int:
        """The first minor that has any of the overloads."""
        return min(o.since for o in self.overloads)


class _Entry(NamedTuple):
    signature: re.Match[str]
    call: Callable[..., Any]
    metered: bool
    since: int


def _libraries() -> Iterable[tuple[int, Signatures, Signatures]]:
    from stowplan.cel.library import (
        authorizer,
        encoders,
        formats,
        lists,
        mathematics,
        network,
        optionals,
        patterns,
        quantity,
        standard,
        text,
        times,
        urls,
        versions,
    )  # fmt: skip

    yield 25, standard.FUNCTIONS, patterns.BASE
    yield 25, times.FUNCTIONS, ()
    yield 25, urls.FUNCTIONS, patterns.METERED
    yield 25, lists.KUBERNETES, lists.KUBERNETES_METERED
    yield 25, text.BASE, text.BASE_METERED
    yield 28, authorizer.FUNCTIONS, ()
    yield 29, optionals.FUNCTIONS, ()
    yield 29, quantity.FUNCTIONS, ()
    yield 30, text.VERSION_TWO, text.VERSION_TWO_METERED
    yield 30, (), lists.SETS_METERED
    yield 31, network.FUNCTIONS, ()
    yield 32, formats.FUNCTIONS, ()
    yield 32, authorizer.SELECTORS, ()
    yield 34, versions.FUNCTIONS, ()
    yield 35, lists.VERSION_THREE, lists.VERSION_THREE_METERED
    yield POLICY_ONLY, text.REVERSE, encoders.METERED
    yield POLICY_ONLY, mathematics.FUNCTIONS, mathematics.METERED


@lru_cache(maxsize=1)
def _index() -> dict[tuple[str, bool], list[_Entry]]:
    index: dict[tuple[str, bool], list[_Entry]] = {}
    for since, plain, metered in _libraries():
        # The metered standard functions take the meter, which the others do not.
        for entries, takes_meter in ((plain, False), (metered, True)):
            for text, call in entries:
                match = _SIGNATURE.match(text)
                if match is None:
                    raise AssertionError(text)
                key = (match["name"], match["receiver"] is not None)
                index.setdefault(key, []).append(_Entry(match, call, takes_meter, since))
    return index


def _read_type(text: str) -> Type:
    text = text.strip()
    if len(text) == 1:
        return Parameter(text)
    head, _, rest = text.partition("<")
    if not rest:
        return _SIMPLE.get(text) or Type(text)
    parts = [_read_type(part) for part in _split(rest[:-1])]
    if head == "list":
        return ListType(parts[0])
    return OptionalType(parts[0]) if head == "optional" else MapType(parts[0], parts[1])


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if character == "," and not depth:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]] if text.strip() else []


def function_names(member: bool) -> tuple[str, ...]:
    """All functions, or all methods, of any version."""
    return tuple(sorted(name for name, is_member in _index() if is_member is member))


@lru_cache(maxsize=1024)
def lookup(name: str, member: bool) -> Function | None:
    """The function or method with every overload of every version."""
    entries = _index().get((name, member))
    if entries is None:
        return None
    overloads = []
    for entry in entries:
        receiver = entry.signature["receiver"]
        texts = ([receiver] if receiver is not None else []) + _split(entry.signature["arguments"])
        parameters = tuple(map(_read_type, texts))
        result = _read_type(entry.signature["result"])
        overloads.append(Overload(name, member, parameters, result, entry.call, entry.metered, entry.since))
    return restrict(tuple(overloads))


@lru_cache(maxsize=4096)
def restrict(overloads: tuple[Overload, ...]) -> Function:
    """A function of just these overloads."""
    name, metered = overloads[0].name, any(o.metered for o in overloads)
    return Function(name, overloads[0].member, overloads, metered, _dispatcher(name, overloads, metered))


def _is_int(value: Any) -> bool:
    return type(value) is int


_CHECKS: Final[dict[str, Callable[[Any], bool] | None]] = {
    "dyn": None, "string": lambda v: isinstance(v, str), "bool": lambda v: isinstance(v, bool), "int": _is_int,
    "uint": lambda v: isinstance(v, UInt), "double": lambda v: isinstance(v, float), "list": is_list, "map": is_map,
    "bytes": lambda v: isinstance(v, bytes), "timestamp": lambda v: isinstance(v, Timestamp),
    "duration": lambda v: isinstance(v, Duration), "optional_type": lambda v: isinstance(v, OptionalValue),
    "type": lambda v: isinstance(v, TypeValue), "null_type": lambda v: v is None,
}  # fmt: skip


def _check(kind: Type) -> Callable[[Any], bool] | None:
    if isinstance(kind, Parameter):
        return None
    if kind.name in _CHECKS:
        return _CHECKS[kind.name]
    if kind.name.startswith("kubernetes.authorization."):
        return None
    name = kind.name
    return lambda value: getattr(type(value), "cel_type", None) == name


def _dispatcher(name: str, overloads: tuple[Overload, ...], metered: bool) -> Callable[..., Any]:
    table: dict[int, list[tuple[tuple[Callable[[Any], bool] | None, ...], Callable[..., Any], bool]]] = {}
    for overload in overloads:
        checks = tuple(map(_check, overload.parameters))
        table.setdefault(len(checks), []).append((checks, overload.call, overload.metered))
    skip = 1 if metered else 0

    def run(*arguments: Any) -> Any:
        given = arguments[skip:]
        for checks, call, takes_meter in table.get(len(given), ()):
            for check, value in zip(checks, given, strict=True):
                if check is not None and not check(value):
                    break
            else:
                return call(*arguments) if takes_meter else call(*given)
        if any(isinstance(value, datetime.datetime) for value in given):
            converted = [as_timestamp(v) if isinstance(v, datetime.datetime) else v for v in given]
            return run(*arguments[:skip], *converted)
        raise no_overload(name, *given)

    if len(overloads) == 1 and not metered:
        return _single(overloads[0], run)
    return run


def _single(overload: Overload, slow: Callable[..., Any]) -> Callable[..., Any]:
    """A shortcut for one overload of one or two arguments."""
    checks, call = tuple(map(_check, overload.parameters)), overload.call
    if len(checks) == 1 and checks[0] is not None:
        only = checks[0]
        return lambda value: call(value) if only(value) else slow(value)
    first, second = checks if len(checks) == 2 else (None, None)
    if first is not None and second is not None:

        def pair(left: Any, right: Any) -> Any:
            return call(left, right) if first(left) and second(right) else slow(left, right)

        return pair
    return slow
