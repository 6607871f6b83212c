"""The names that generated code may use, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from stowplan.cel import access, operators
from stowplan.cel.library.patterns import Pattern, compile_pattern
from stowplan.cel.limits import Meter, charge
from stowplan.cel.loops import map_of
from stowplan.cel.problem import CelEvaluationError
from stowplan.cel.values import ABSENT, OptionalValue, is_list, is_map

__all__ = ["NAMES", "compile_or_none"]


def compile_or_none(text: str) -> Pattern | None:
    """The pattern, or None when it is invalid."""
    try:
        return compile_pattern(text)
    except CelEvaluationError:
        return None


def _size(value: Any) -> int:
    found = type(value)
    if found is str or found is list or found is dict or found is bytes or is_list(value) or is_map(value):
        return len(value)
    if isinstance(value, str):
        return len(value)
    raise operators.no_overload("size", value)


def _starts(value: Any, prefix: Any) -> bool:
    if isinstance(value, str) and isinstance(prefix, str):
        return value.startswith(prefix)
    raise operators.no_overload("startsWith", value, prefix)


def _ends(value: Any, suffix: Any) -> bool:
    if isinstance(value, str) and isinstance(suffix, str):
        return value.endswith(suffix)
    raise operators.no_overload("endsWith", value, suffix)


def _holds(value: Any, part: Any) -> bool:
    if isinstance(value, str) and isinstance(part, str):
        return part in value
    raise operators.no_overload("contains", value, part)


def _match(meter: Meter, pattern: Pattern, value: Any) -> bool:
    if isinstance(value, str) and len(value) > 100:
        charge(meter, len(value) * pattern.cost // 10)
    return pattern.matches(value)


def _optional_map(value: Any, body: Callable[[Any], Any]) -> OptionalValue:
    if not isinstance(value, OptionalValue):
        raise operators.fault("expected an optional value")
    return OptionalValue(True, body(value.value)) if value.present else ABSENT


def _optional_flat_map(value: Any, body: Callable[[Any], Any]) -> OptionalValue:
    if not isinstance(value, OptionalValue):
        raise operators.fault("expected an optional value")
    result = body(value.value) if value.present else ABSENT
    return result if isinstance(result, OptionalValue) else operators.fail("expected an optional value")


def _present(elements: list[tuple[bool, Any]]) -> list[Any]:
    return [v.value if optional else v for optional, v in elements if not optional or v.present]


NAMES: Final[dict[str, Any]] = {
    "__builtins__": {}, "all": all, "any": any, "sum": sum, "type": type, "dict": dict, "Exception": Exception, "eq": operators.equal,
    "ne": operators.not_equal, "lt": operators.less, "le": operators.less_equal, "gt": operators.greater,
    "ge": operators.greater_equal, "add": operators.add, "sub": operators.subtract, "mul": operators.multiply,
    "div": operators.divide, "mod": operators.modulo, "neg": operators.negate, "in_": operators.member,
    "eqm": operators.metered_equal, "inm": operators.metered_member, "bool_": operators.as_bool,
    "osel": access.optional_select, "has": access.has_field, "nul": access.without_null, "idx": access.index,
    "oidx": access.optional_index, "items": access.items, "pairs": access.pairs, "size": _size,
    "starts": _starts, "ends": _ends, "holds": _holds, "match": _match, "omap": _optional_map,
    "oflat": _optional_flat_map, "present": _present, "map_of": map_of,
}  # fmt: skip
