"""When two spellings are one value: quantities by amount, numbers by size, times by instant, nothing by absence."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from stowplan.model.quantity import QuantityError, parse_quantity

__all__ = ["same_value"]

_QUANTITY_FIELDS: Final = frozenset(
    {
        "requests", "limits", "hard", "used", "capacity", "allocatable", "overhead", "default", "defaultRequest", "max",
        "min", "maxLimitRequestRatio", "nominalQuota", "borrowingLimit", "lendingLimit", "weight", "sizeLimit",
        "divisor", "averageValue", "value", "storage", "cpu", "memory", "pods", "size",
    }
)  # fmt: skip
"""Names of fields that hold a quantity, or a map of them. Elsewhere `1` and `1000m` are two texts."""

_MAX_DEPTH: Final = 100


def same_value(rendered: Any, live: Any, name: str = "", parent: str = "", depth: int = 0) -> bool:
    """Whether both are the same to an API server; `name` and `parent` are the fields that lead to them."""
    if isinstance(rendered, dict) and isinstance(live, dict):
        return _same_map(rendered, live, name, depth)
    if isinstance(rendered, list) and isinstance(live, list):
        return (
            len(rendered) == len(live)
            and depth < _MAX_DEPTH
            and all(same_value(one, other, name, parent, depth + 1) for one, other in zip(rendered, live, strict=True))
        )
    if isinstance(rendered, bool) or isinstance(live, bool):
        return rendered is live
    if rendered == live:
        return True
    if _is_number(rendered) and _is_number(live):
        return False
    if name in _QUANTITY_FIELDS or parent in _QUANTITY_FIELDS:
        return _same_quantity(rendered, live)
    return isinstance(rendered, str) and isinstance(live, str) and _same_instant(rendered, live)


def _same_map(rendered: dict[str, Any], live: dict[str, Any], name: str, depth: int) -> bool:
    if depth >= _MAX_DEPTH:
        return rendered == live
    for key in rendered.keys() | live.keys():
        mine, theirs = rendered.get(key), live.get(key)
        if (key in rendered) != (key in live) and mine is None and theirs is None:
            continue
        if (key in rendered) != (key in live) or not same_value(mine, theirs, key, name, depth + 1):
            return False
    return True


def _is_number(data: Any) -> bool:
    return isinstance(data, int | float) and not isinstance(data, bool)


def _same_quantity(rendered: Any, live: Any) -> bool:
    try:
        return parse_quantity(str(rendered)) == parse_quantity(str(live))
    except QuantityError:
        return False


def _same_instant(rendered: str, live: str) -> bool:
    if len(rendered) < 20 or rendered[4:5] != "-" or rendered[10:11] != "T" or live[10:11] != "T":
        return False
    try:
        return datetime.fromisoformat(rendered) == datetime.fromisoformat(live)
    except (ValueError, TypeError):
        return False
