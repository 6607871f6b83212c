"""`format`: printf-style text from a list of values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from stowplan.cel.library.numbers import fixed_text
from stowplan.cel.limits import Meter, charge
from stowplan.cel.operators import fault
from stowplan.cel.values import Duration, OptionalValue, Timestamp, TypeValue, _BoolKey, is_list, is_map, kind

__all__ = ["format_text"]

_CLAUSE = re.compile(r"%(?:(?P<percent>%)|(?P<precision>\.[0-9]+)?(?P<verb>[A-Za-z])?)")
_MAX_PRECISION = 1000


def format_text(meter: Meter, template: str, arguments: list[Any]) -> str:
    """`template` with each clause replaced by the next argument."""
    charge(meter, len(template) // 10)
    parts: list[str] = []
    position, used = 0, 0
    for clause in _CLAUSE.finditer(template):
        parts.append(template[position : clause.start()])
        position = clause.end()
        if clause["percent"]:
            parts.append("%")
            continue
        verb = clause["verb"] or ""
        writer = _VERBS.get(verb)
        if writer is None:
            raise fault(f"unknown formatting clause `%{verb}`")
        if used >= len(arguments):
            raise fault(f"formatting clause {used + 1} has no argument")
        text = writer(meter, arguments[used], _precision(clause["precision"]))
        charge(meter, 1 + len(text) // 10)
        parts.append(text)
        used += 1
    parts.append(template[position:])
    return "".join(parts)


def _precision(text: str | None) -> int:
    if text is None:
        return 6
    if len(text) > 5 or int(text[1:]) > _MAX_PRECISION:
        raise fault(f"a precision above {_MAX_PRECISION} is not supported")
    return int(text[1:])


def _string(meter: Meter, value: Any, _precision: int = 6) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return fixed_text(value, "Infinity")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Timestamp | Duration):
        return str(value)
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, _BoolKey):
        return "true" if value.value else "false"
    return _container(meter, value)


def _container(meter: Meter, value: Any) -> str:
    if is_list(value):
        items = [_string(meter, item) for item in value]
        charge(meter, len(items) + sum(map(len, items)) // 10)
        return f"[{', '.join(items)}]"
    if is_map(value):
        entries = sorted((_string(meter, k), _string(meter, v)) for k, v in value.items())
        charge(meter, len(entries) + sum(len(k) + len(v) for k, v in entries) // 10)
        return f"{{{', '.join(f'{k}: {v}' for k, v in entries)}}}"
    if isinstance(value, OptionalValue) or not hasattr(type(value), "cel_type"):
        raise fault(f"a value of type {kind(value)} cannot be formatted as a string")
    return str(value)


def _integer(_meter: Meter, value: Any, _precision: int) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return fixed_text(value, "Infinity")
    return _wrong("d", value)


def _number(value: Any, verb: str) -> float | str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        special = fixed_text(value, "Infinity") if isinstance(value, float) else ""
        return special if special in ("NaN", "Infinity", "-Infinity") else float(value)
    if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
        return value
    return _wrong(verb, value)


def _fixed(_meter: Meter, value: Any, precision: int) -> str:
    number = _number(value, "f")
    return number if isinstance(number, str) else f"{number:.{precision}f}"


def _scientific(_meter: Meter, value: Any, precision: int) -> str:
    number = _number(value, "e")
    return number if isinstance(number, str) else f"{number:.{precision}e}"


def _based(base: str) -> Callable[[Meter, Any, int], str]:
    def write(_meter: Meter, value: Any, _precision: int) -> str:
        if (isinstance(value, bool) and base != "b") or not isinstance(value, int):
            return _wrong(base, value)
        return format(int(value), base)

    return write


def _hexadecimal(_meter: Meter, value: Any, _precision: int) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").hex()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, int) and not isinstance(value, bool):
        return format(int(value), "x")
    return _wrong("x", value)


def _hexadecimal_upper(meter: Meter, value: Any, precision: int) -> str:
    return _hexadecimal(meter, value, precision).upper()


def _wrong(verb: str, value: Any) -> str:
    raise fault(f"the formatting clause `%{verb}` cannot take a value of type {kind(value)}")


_VERBS: dict[str, Callable[[Meter, Any, int], str]] = {
    "s": _string, "d": _integer, "f": _fixed, "e": _scientific, "b": _based("b"), "o": _based("o"), "x": _hexadecimal,
    "X": _hexadecimal_upper,
}  # fmt: skip
