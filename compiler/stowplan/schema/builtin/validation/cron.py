"""Reads the schedule of a CronJob: five fields, or a word behind `@`."""

from __future__ import annotations

import re
import zoneinfo

from .report import go_quote

__all__ = ["schedule_complaint", "time_zone_complaints"]

_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], start=1
    )
}
_DAYS = {name: number for number, name in enumerate(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])}
_FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_WORDS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY = re.compile(r"[-+]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)").fullmatch


class _Refused(Exception):
    pass


def schedule_complaint(text: str) -> str:
    """What is wrong with the schedule, or an empty string."""
    try:
        _parse(text)
    except _Refused as refusal:
        return str(refusal)
    return ""


def _parse(text: str) -> None:
    if text.startswith("@"):
        _parse_word(text)
        return
    fields = text.split()
    if not fields and not text:
        raise _Refused("empty spec string")
    if len(fields) != 5:
        raise _Refused(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    for field, (low, high, names) in zip(fields, _FIELDS, strict=True):
        for part in field.split(","):
            if part:
                _parse_range(part, low, high, names)


def _parse_word(text: str) -> None:
    if text in _WORDS:
        return
    if text.startswith("@every "):
        period = text.removeprefix("@every ")
        if not _EVERY(period):
            raise _Refused(f"failed to parse duration {text}: time: invalid duration {go_quote(period)}")
        return
    raise _Refused(f"unrecognized descriptor: {text}")


def _parse_range(text: str, low: int, high: int, names: dict[str, int]) -> None:
    step_parts = text.split("/")
    ends = step_parts[0].split("-")
    if ends[0] in ("*", "?"):
        start, end = low, high
    else:
        start = end = _number(ends[0], names)
        if len(ends) == 2:
            end = _number(ends[1], names)
        elif len(ends) > 2:
            raise _Refused(f"too many hyphens: {text}")
    step = 1
    if len(step_parts) == 2:
        step = _integer(step_parts[1])
        if len(ends) == 1 and ends[0] not in ("*", "?"):
            end = high
    elif len(step_parts) > 2:
        raise _Refused(f"too many slashes: {text}")
    _check_range(text, (start, end), (low, high), step)


def _check_range(text: str, given: tuple[int, int], allowed: tuple[int, int], step: int) -> None:
    if given[0] < allowed[0]:
        raise _Refused(f"beginning of range ({given[0]}) below minimum ({allowed[0]}): {text}")
    if given[1] > allowed[1]:
        raise _Refused(f"end of range ({given[1]}) above maximum ({allowed[1]}): {text}")
    if given[0] > given[1]:
        raise _Refused(f"beginning of range ({given[0]}) beyond end of range ({given[1]}): {text}")
    if step == 0:
        raise _Refused(f"step of range should be a positive number: {text}")


def _number(text: str, names: dict[str, int]) -> int:
    found = names.get(text.lower())
    return found if found is not None else _integer(text)


def _integer(text: str) -> int:
    if not re.fullmatch("[+-]?[0-9]+", text):
        raise _Refused(f"failed to parse int from {text}: strconv.Atoi: parsing {go_quote(text)}: invalid syntax")
    number = int(text[:25])
    if abs(number) >= 2**63:
        raise _Refused(f"failed to parse int from {text}: strconv.Atoi: parsing {go_quote(text)}: value out of range")
    if number < 0:
        raise _Refused(f"negative number ({number}) not allowed: {text}")
    return number


def time_zone_complaints(name: str) -> list[str]:
    """What is wrong with the name of a time zone."""
    if not name:
        return ["timeZone must be nil or non-empty string"]
    found = []
    if name.lower() == "local":
        found.append("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")
    if name in ("UTC", "Local"):
        return found
    if ".." in name or name[0] in "/\\" or "\\" in name:
        found.append("time: invalid location name")
    elif not _known_zone(name):
        found.append(f"unknown time zone {name}")
    return found


def _known_zone(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
