"""The stored spelling of times and base64, with Go's complaints about what it cannot read."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

__all__ = ["ScalarError", "canonical_base64", "canonical_micro_time", "canonical_time"]

_TIME_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT: Final = "2006-01-02T15:04:05.000000Z07:00"
_STEPS: Final = (
    (re.compile(r"\d{4}", re.ASCII), "2006"),
    (re.compile(r"-"), "-"),
    (re.compile(r"\d{2}", re.ASCII), "01"),
    (re.compile(r"-"), "-"),
    (re.compile(r"\d{2}", re.ASCII), "02"),
    (re.compile(r"T"), "T"),
    (re.compile(r"\d{1,2}", re.ASCII), "15"),
    (re.compile(r":"), ":"),
    (re.compile(r"\d{2}", re.ASCII), "04"),
    (re.compile(r":"), ":"),
    (re.compile(r"\d{2}", re.ASCII), "05"),
)
_FRACTION: Final = re.compile(r"[.,]\d+", re.ASCII)
_MICROS: Final = re.compile(r"[.,]\d{6}", re.ASCII)
_ZONE: Final = re.compile(r"Z|[+-]\d{2}:\d{2}", re.ASCII)
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_DAYS: Final = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class ScalarError(ValueError):
    """A text the server cannot read; the message is the server's."""


def _refusal(text: str, layout: str, rest: str, part: str) -> ScalarError:
    return ScalarError(f'parsing time "{text}" as "{layout}": cannot parse "{rest}" as "{part}"')


def _range_error(text: str, what: str) -> ScalarError:
    return ScalarError(f'parsing time "{text}": {what} out of range')


def _clock_parts(text: str, layout: str) -> tuple[list[int], int]:
    """Year to second, and where they end."""
    position, numbers = 0, []
    for pattern, part in _STEPS:
        match = pattern.match(text, position)
        if match is None:
            raise _refusal(text, layout, text[position:], part)
        if part[0].isdigit():
            numbers.append(int(match[0]))
        position = match.end()
    return numbers, position


def _fraction(text: str, position: int, *, micro: bool) -> int:
    """Where the fraction of the second ends; six digits exactly for a time with microseconds."""
    if not micro:
        match = _FRACTION.match(text, position)
        return match.end() if match else position
    match = _MICROS.match(text, position)
    if match is None:
        raise _refusal(text, _MICRO_LAYOUT, text[position:], ".000000")
    return match.end()


def _check_ranges(text: str, numbers: list[int]) -> None:
    year, month, day, hour, minute, second = numbers
    if not 1 <= month <= 12:
        raise _range_error(text, "month")
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    last = 28 if month == 2 and not leap else _DAYS[month]
    for value, low, high, what in (
        (hour, 0, 23, "hour"),
        (minute, 0, 59, "minute"),
        (second, 0, 59, "second"),
        (day, 1, last, "day"),
    ):
        if not low <= value <= high:
            raise _range_error(text, what)


def _read_time(text: str, *, micro: bool) -> tuple[datetime, int]:
    """The moment in the years 2000 to 2399, and how many years to add: Python has no year 0, and the calendar repeats."""
    layout = _MICRO_LAYOUT if micro else _TIME_LAYOUT
    numbers, position = _clock_parts(text, layout)
    end = _fraction(text, position, micro=micro)
    zone = _ZONE.match(text, end)
    if zone is None:
        raise _refusal(text, layout, text[end:], "Z07:00")
    if zone.end() != len(text):
        raise ScalarError(f'parsing time "{text}": extra text: "{text[zone.end() :]}"')
    _check_ranges(text, numbers)
    micros = int((text[position + 1 : end] + "000000")[:6]) if end > position else 0
    offset = timedelta()
    if zone[0] != "Z":
        hours, minutes = int(zone[0][1:3]), int(zone[0][4:6])
        if hours > 24 or minutes > 60:
            raise _range_error(text, "time zone offset hour" if hours > 24 else "time zone offset minute")
        offset = timedelta(hours=hours, minutes=minutes) * (-1 if zone[0][0] == "-" else 1)
    year, month, day, hour, minute, second = numbers
    cycles = (year - 2000) // 400
    return datetime(year - 400 * cycles, month, day, hour, minute, second, micros, tzinfo=UTC) - offset, 400 * cycles


def _written(moment: datetime, shift: int, text: str, tail: str) -> str:
    """The moment as stored; the zero time of Go is no time at all, and empty."""
    year = moment.year + shift
    if not 0 <= year <= 9999:
        raise _range_error(text, "year")
    stored = f"{year:04d}{moment.strftime('-%m-%dT%H:%M:%S')}{tail}Z"
    return "" if stored in ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z") else stored


@lru_cache(maxsize=1024)
def canonical_time(text: str) -> str:
    """A time in UTC and whole seconds, empty for the zero time; raises `ScalarError`."""
    return _written(*_read_time(text, micro=False), text, "")


@lru_cache(maxsize=1024)
def canonical_micro_time(text: str) -> str:
    """A time in UTC with six decimals, which the text must have too, empty for the zero time; raises `ScalarError`."""
    moment, shift = _read_time(text, micro=True)
    return _written(moment, shift, text, f".{moment.microsecond:06d}")


def _base64_fault(text: str) -> int:
    """The byte at which Go gives up on a text that is not standard base64."""
    clean = 0
    for index, character in enumerate(text):
        if character in "\r\n":
            continue
        if not (character.isascii() and (character.isalnum() or character in "+/")):
            return index if character != "=" or clean % 4 < 2 else len(text.rstrip("\r\n"))
        clean += 1
    return len(text.rstrip("\r\n")) - clean % 4


def canonical_base64(text: str) -> str:
    """Base64 as the server writes it: line breaks are removed; raises `ScalarError`."""
    bare = text.replace("\r", "").replace("\n", "") if "\n" in text or "\r" in text else text
    if _BASE64.fullmatch(bare) is None:
        raise ScalarError(f"illegal base64 data at input byte {_base64_fault(text)}")
    # Spare bits of the last character are lost in the round trip.
    return base64.b64encode(base64.b64decode(bare)).decode() if bare.endswith("=") else bare
