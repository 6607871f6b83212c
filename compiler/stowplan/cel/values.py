"""Values that plain Python does not have: unsigned integers, times, optionals, types, maps with boolean keys."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Final

from stowplan.cel.problem import CelFault

__all__ = [
    "ABSENT", "FALSE_KEY", "INT_MAX", "INT_MIN", "NANOS", "TRUE_KEY", "BoolMap", "Duration", "KeyedList", "OptionalValue",
    "SetList", "Timestamp", "TypeValue", "UInt", "as_timestamp", "is_list", "is_map", "kind", "plain",
]  # fmt: skip

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
NANOS: Final = 1_000_000_000
_TIME_MIN: Final = -62_135_596_800 * NANOS
_TIME_MAX: Final = 253_402_300_800 * NANOS - 1


class UInt(int):
    """An unsigned 64-bit integer."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{int(self)}u"


class Duration:
    """A span of time in whole nanoseconds, within a signed 64-bit count of them."""

    __slots__ = ("nanoseconds",)

    def __init__(self, nanoseconds: int) -> None:
        if not INT_MIN <= nanoseconds <= INT_MAX:
            raise CelFault("duration out of range")
        self.nanoseconds = nanoseconds

    def __eq__(self, other: object) -> bool:
        return type(other) is Duration and other.nanoseconds == self.nanoseconds

    def __hash__(self) -> int:
        return hash((Duration, self.nanoseconds))

    def __lt__(self, other: Duration) -> bool:
        return self.nanoseconds < other.nanoseconds

    def __le__(self, other: Duration) -> bool:
        return self.nanoseconds <= other.nanoseconds

    def __str__(self) -> str:
        sign, rest = ("-", -self.nanoseconds) if self.nanoseconds < 0 else ("", self.nanoseconds)
        seconds, nanos = divmod(rest, NANOS)
        fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
        return f"{sign}{seconds}{fraction}s"

    def __repr__(self) -> str:
        return f"duration({str(self)!r})"


class Timestamp:
    """A moment in whole nanoseconds since 1970-01-01T00:00:00Z, from year 1 to 9999."""

    __slots__ = ("nanoseconds",)

    def __init__(self, nanoseconds: int) -> None:
        if not _TIME_MIN <= nanoseconds <= _TIME_MAX:
            raise CelFault("timestamp out of range")
        self.nanoseconds = nanoseconds

    def __eq__(self, other: object) -> bool:
        return type(other) is Timestamp and other.nanoseconds == self.nanoseconds

    def __hash__(self) -> int:
        return hash((Timestamp, self.nanoseconds))

    def __lt__(self, other: Timestamp) -> bool:
        return self.nanoseconds < other.nanoseconds

    def __le__(self, other: Timestamp) -> bool:
        return self.nanoseconds <= other.nanoseconds

    def utc(self) -> datetime.datetime:
        """The moment to the second; the fraction is left out."""
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
        return epoch + datetime.timedelta(seconds=self.nanoseconds // NANOS)

    def __str__(self) -> str:
        nanos = self.nanoseconds % NANOS
        fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
        moment = self.utc()
        return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}{fraction}Z"

    def __repr__(self) -> str:
        return f"timestamp({str(self)!r})"


class OptionalValue:
    """A value that may be absent."""

    __slots__ = ("present", "value")

    def __init__(self, present: bool, value: Any = None) -> None:
        self.present = present
        self.value = value

    def __repr__(self) -> str:
        return f"optional.of({self.value!r})" if self.present else "optional.none()"


ABSENT: Final = OptionalValue(False)


class TypeValue:
    """A type as a value, as `type(x)` gives it."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is TypeValue and other.name == self.name

    def __hash__(self) -> int:
        return hash((TypeValue, self.name))

    def __repr__(self) -> str:
        return self.name


class _BoolKey:
    """Stands for a boolean as a key: Python's `True` would be the same key as 1."""

    __slots__ = ("value",)

    def __init__(self, value: bool) -> None:
        self.value = value


TRUE_KEY: Final = _BoolKey(True)
FALSE_KEY: Final = _BoolKey(False)


class BoolMap(dict[Any, Any]):
    """A map made by an expression that has boolean keys, stored as `TRUE_KEY` and `FALSE_KEY`."""

    __slots__ = ()


class SetList(list[Any]):
    """A list whose schema says `set`: compared without order, added as a union."""

    __slots__ = ()


class KeyedList(list[Any]):
    """A list whose schema says `map`: compared by its keys without order, added by replacing equal keys."""

    __slots__ = ("keys",)

    def __init__(self, items: Any, keys: tuple[str, ...]) -> None:
        super().__init__(items)
        self.keys = keys


_KINDS: Final[dict[type, str]] = {
    type(None): "null_type", bool: "bool", int: "int", UInt: "uint", float: "double", str: "string", bytes: "bytes",
    list: "list", dict: "map", Timestamp: "google.protobuf.Timestamp", Duration: "google.protobuf.Duration",
    OptionalValue: "optional_type", TypeValue: "type", datetime.datetime: "google.protobuf.Timestamp",
}  # fmt: skip


def kind(value: Any) -> str:
    """The name of a value's type, as `type(value)` shows it."""
    name = _KINDS.get(type(value))
    if name is not None:
        return name
    name = getattr(type(value), "cel_type", None)
    if isinstance(name, str):
        return name
    for python, known in ((str, "string"), (UInt, "uint"), (int, "int"), (float, "double")):
        if isinstance(value, python):
            return known
    return "list" if is_list(value) else "map" if is_map(value) else type(value).__name__


def is_list(value: Any) -> bool:
    """Whether the value is a CEL list: a list or a tuple."""
    return isinstance(value, list | tuple)


def is_map(value: Any) -> bool:
    """Whether the value is a CEL map: any mapping."""
    return isinstance(value, dict | Mapping)


def as_timestamp(value: datetime.datetime) -> Timestamp:
    """A datetime as CEL sees it; one without a zone counts as UTC."""
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.UTC)
    delta = value - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return Timestamp((delta.days * 86400 + delta.seconds) * NANOS + delta.microseconds * 1000)


_SCALARS: Final = frozenset({bool, str, int, float, UInt, bytes, type(None)})


def plain(value: Any) -> Any:
    """A result for the outside: boolean keys restored, internal list and map classes turned into plain ones.

    Parts that a value shares stay shared, so the work is bounded by the memory the value takes.
    """
    return value if type(value) in _SCALARS else _plain(value, {})


def _plain(value: Any, known: dict[int, Any]) -> Any:
    if type(value) in _SCALARS:
        return value
    if id(value) in known:
        return known[id(value)]
    result = value
    if isinstance(value, list | tuple):
        result = [_plain(item, known) for item in value]
    elif isinstance(value, dict):
        result = {(k.value if type(k) is _BoolKey else k): _plain(item, known) for k, item in value.items()}
    elif type(value) is OptionalValue and value.present:
        result = OptionalValue(True, _plain(value.value, known))
    known[id(value)] = result
    return result
