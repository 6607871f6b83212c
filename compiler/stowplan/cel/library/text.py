"""The strings extension: positions in code points, bounded results."""

from __future__ import annotations

from typing import Any

from stowplan.cel.library import Signatures
from stowplan.cel.library.formatting import format_text
from stowplan.cel.limits import Meter, charge
from stowplan.cel.operators import fault

__all__ = ["BASE", "BASE_METERED", "REVERSE", "VERSION_TWO", "VERSION_TWO_METERED"]

_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_LOWER = {c: c + 32 for c in range(65, 91)}
_UPPER = {c: c - 32 for c in range(97, 123)}
_QUOTED = str.maketrans(
    {
        "\a": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        "\\": "\\\\",
        '"': '\\"',
    }
)


def _character(value: str, position: int) -> str:
    if 0 <= position <= len(value):
        return value[position : position + 1]
    raise fault(f"index out of range: {position}")


def _find(value: str, wanted: str, start: int = 0) -> int:
    if not wanted:
        return start  # as the server has it, wherever that is
    if start < 0:
        raise fault(f"index out of range: {start}")
    return value.find(wanted, start)


def _find_last(value: str, wanted: str) -> int:
    return value.rfind(wanted)


def _find_last_until(value: str, wanted: str, last: int) -> int:
    if not wanted:
        return last
    if last < 0:
        raise fault(f"index out of range: {last}")
    return value.rfind(wanted, 0, last + len(wanted)) if last < len(value) else -1


def _substring(value: str, start: int) -> str:
    return _substring_until(value, start, len(value))


def _substring_until(value: str, start: int, end: int) -> str:
    if 0 <= start <= end <= len(value):
        return value[start:end]
    raise fault(f"index out of range: {start} to {end} of {len(value)}")


def _replace(meter: Meter, value: str, old: str, new: str, limit: int = -1) -> str:
    count = value.count(old) if limit < 0 else min(value.count(old), limit)
    charge(meter, (len(value) + count * max(0, len(new) - len(old))) // 10)
    return value.replace(old, new, count)


def _split(meter: Meter, value: str, separator: str, limit: int = -1) -> list[str]:
    charge(meter, len(value) // 10)
    if limit == 0:
        return []
    if separator == "":
        charge(meter, len(value))
        return list(value) if limit < 0 or limit >= len(value) else [*value[: limit - 1], value[limit - 1 :]]
    return value.split(separator, limit - 1 if limit > 0 else -1)


def _join(meter: Meter, values: list[Any], separator: str = "") -> str:
    for value in values:
        if not isinstance(value, str):
            raise fault("join needs a list of strings")
    charge(meter, len(values) + (sum(map(len, values)) + len(separator) * len(values)) // 10)
    return separator.join(values)


def _quote(meter: Meter, value: str) -> str:
    charge(meter, len(value) // 10)
    return '"' + value.encode("utf-8", "surrogatepass").decode("utf-8", "replace").translate(_QUOTED) + '"'


def _reverse(value: str) -> str:
    return value[::-1]


BASE: Signatures = (
    ("(string).charAt(int) -> string", _character),
    ("(string).indexOf(string) -> int", _find),
    ("(string).indexOf(string, int) -> int", _find),
    ("(string).lastIndexOf(string) -> int", _find_last),
    ("(string).lastIndexOf(string, int) -> int", _find_last_until),
    ("(string).lowerAscii() -> string", lambda value: value.translate(_LOWER)),
    ("(string).upperAscii() -> string", lambda value: value.translate(_UPPER)),
    ("(string).substring(int) -> string", _substring),
    ("(string).substring(int, int) -> string", _substring_until),
    ("(string).trim() -> string", lambda value: value.strip(_SPACE)),
)
BASE_METERED: Signatures = (
    ("(string).replace(string, string) -> string", _replace),
    ("(string).replace(string, string, int) -> string", _replace),
    ("(string).split(string) -> list<string>", _split),
    ("(string).split(string, int) -> list<string>", _split),
    ("(list<string>).join() -> string", _join),
    ("(list<string>).join(string) -> string", _join),
)
VERSION_TWO: Signatures = ()
VERSION_TWO_METERED: Signatures = (
    ("(string).format(list<dyn>) -> string", format_text),
    ("strings.quote(string) -> string", _quote),
)
REVERSE: Signatures = (("(string).reverse() -> string", _reverse),)
