"""What else there is in a namespace, as far as admission looks at it: its labels, limits, quotas, and accounts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

__all__ = ["CONTEXT_KINDS", "NOTHING_KNOWN", "Neighbourhood", "with_object"]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """One namespace. `limits` and `quotas` are LimitRanges and ResourceQuotas as stored; `accounts` None: not known.

    A quota counts by its status, as it does on a server: until its controller has written that, it holds nobody back.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    limits: tuple[Mapping[str, Any], ...] = ()
    quotas: tuple[Mapping[str, Any], ...] = ()
    accounts: Collection[str] | None = None


NOTHING_KNOWN = Neighbourhood()
CONTEXT_KINDS: Final = frozenset(("Namespace", "LimitRange", "ResourceQuota"))
"""Kinds of the core group that admission looks at when it judges others."""


def with_object(known: Neighbourhood, stored: Mapping[str, Any]) -> Neighbourhood:
    """The namespace with one more object in it, which the server has accepted; its Namespace brings the labels.

    A quota that comes without a status gets that of one which nobody uses yet.
    """
    kind, name = stored.get("kind"), stored["metadata"].get("name")
    if kind == "Namespace":
        return replace(known, labels=stored["metadata"].get("labels") or {})
    if kind == "LimitRange":
        return replace(known, limits=(*_others(known.limits, name), stored))
    if kind == "ResourceQuota":
        hard = (stored.get("spec") or {}).get("hard") or {}
        counted = {**stored, "status": {"hard": hard, "used": {}, **(stored.get("status") or {})}}
        return replace(known, quotas=(*_others(known.quotas, name), counted))
    return known


def _others(objects: tuple[Mapping[str, Any], ...], name: Any) -> tuple[Mapping[str, Any], ...]:
    return tuple(one for one in objects if one["metadata"].get("name") != name)
