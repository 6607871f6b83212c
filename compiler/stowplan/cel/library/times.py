"""Timestamps and durations: reading them and asking for their parts."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from functools import lru_cache

from stowplan.cel.library import Signatures
from stowplan.cel.operators import fault
from stowplan.cel.values import NANOS, Duration, Timestamp

__all__ = ["FUNCTIONS", "parse_duration", "parse_timestamp"]

_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})\Z"
)
_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_UNITS = {
    "ns": 1, "us": 1000, "µs": 1000, "μs": 1000, "ms": 1_000_000, "s": NANOS, "m": 60 * NANOS, "h": 3600 * NANOS,
}  # fmt: skip
_OFFSET = re.compile(r"([+-]?)([0-9]{2}):([0-9]{2})\Z")


@lru_cache(maxsize=1024)
def parse_duration(text: str) -> Duration:
    """A duration such as `1h30m` or `-1.5s`. Raises `CelEvaluationError`."""
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return Duration(0)
    total, position = 0, 0
    while position < len(rest):
        part = _PART.match(rest, position)
        if part is None or not (part[1] or part[2]) or len(part[1]) > 20:
            break
        unit = _UNITS[part[3]]
        fraction = (part[2] or "")[:18]
        total += int(part[1] or 0) * unit + int(fraction or 0) * unit // 10 ** len(fraction)
        position = part.end()
    if position != len(rest) or not rest:
        raise fault(f"invalid duration {text[:50]!r}")
    return Duration(sign * total)


@lru_cache(maxsize=1024)
def parse_timestamp(text: str) -> Timestamp:
    """A moment in RFC 3339 form. Raises `CelEvaluationError`."""
    match = _TIMESTAMP.match(text)
    if match is None:
        raise fault(f"invalid timestamp {text[:50]!r}")
    year, month, day, clock, fraction, zone = match.groups()
    try:
        date = datetime.date(int(year), int(month), int(day)).toordinal() - 719_163
        time = datetime.time.fromisoformat(clock)
    except ValueError:
        raise fault(f"invalid timestamp {text[:50]!r}") from None
    seconds = date * 86400 + time.hour * 3600 + time.minute * 60 + time.second
    if zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 24 or minutes > 60:
            raise fault(f"invalid timestamp {text[:50]!r}")
        seconds -= (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)
    return Timestamp(seconds * NANOS + int((fraction or "")[:9].ljust(9, "0")))


def _of_seconds(seconds: int) -> Timestamp:
    return Timestamp(seconds * NANOS)


def _local(value: Timestamp, zone: str) -> datetime.datetime:
    moment = value.utc()
    offset = _OFFSET.match(zone)
    try:
        if offset is not None:
            delta = datetime.timedelta(hours=int(offset[2]), minutes=int(offset[3]))
            return moment.astimezone(datetime.timezone(-delta if offset[1] == "-" else delta))
        if zone in ("", "UTC"):
            return moment
        return moment.astimezone(_zone(zone))
    except (ValueError, OverflowError):
        raise fault(f"unknown or unusable time zone {zone[:50]!r}") from None


@lru_cache(maxsize=64)
def _zone(name: str) -> datetime.tzinfo:
    import zoneinfo

    if len(name) > 64 or not re.match(r"[A-Za-z0-9_+\-/]+\Z", name):
        raise fault(f"unknown time zone {name[:50]!r}")
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise fault(f"unknown time zone {name[:50]!r}") from None


_PARTS: tuple[tuple[str, Callable[[datetime.datetime], int]], ...] = (
    ("getFullYear", lambda t: t.year),
    ("getMonth", lambda t: t.month - 1),
    ("getDate", lambda t: t.day),
    ("getDayOfMonth", lambda t: t.day - 1),
    ("getDayOfWeek", lambda t: t.isoweekday() % 7),
    ("getDayOfYear", lambda t: t.timetuple().tm_yday - 1),
    ("getHours", lambda t: t.hour),
    ("getMinutes", lambda t: t.minute),
    ("getSeconds", lambda t: t.second),
)


def _utc_part(part: Callable[[datetime.datetime], int]) -> Callable[[Timestamp], int]:
    return lambda value: part(value.utc())


def _zoned_part(part: Callable[[datetime.datetime], int]) -> Callable[[Timestamp, str], int]:
    return lambda value, zone: part(_local(value, zone))


def _span_part(unit: int) -> Callable[[Duration], int]:
    return lambda value: -(-value.nanoseconds // unit) if value.nanoseconds < 0 else value.nanoseconds // unit


def _milliseconds(value: Timestamp) -> int:
    return value.nanoseconds % NANOS // 1_000_000


def _zoned_milliseconds(value: Timestamp, zone: str) -> int:
    _local(value, zone)
    return _milliseconds(value)


FUNCTIONS: Signatures = (
    ("duration(string) -> duration", parse_duration),
    ("timestamp(string) -> timestamp", parse_timestamp),
    ("timestamp(int) -> timestamp", _of_seconds),
    *((f"(timestamp).{name}() -> int", _utc_part(part)) for name, part in _PARTS),
    *((f"(timestamp).{name}(string) -> int", _zoned_part(part)) for name, part in _PARTS),
    ("(timestamp).getMilliseconds() -> int", _milliseconds),
    ("(timestamp).getMilliseconds(string) -> int", _zoned_milliseconds),
    ("(duration).getHours() -> int", _span_part(3600 * NANOS)),
    ("(duration).getMinutes() -> int", _span_part(60 * NANOS)),
    ("(duration).getSeconds() -> int", _span_part(NANOS)),
    ("(duration).getMilliseconds() -> int", _span_part(1_000_000)),
)
