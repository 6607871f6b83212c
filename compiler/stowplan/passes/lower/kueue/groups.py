"""Resource groups of ClusterQueues and Cohorts: one group that covers every resource of its flavors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from stowplan.diagnostics.model import Diagnostic, error
from stowplan.passes.lower.kueue.amounts import Amounts, format_amount
from stowplan.source.span import Origin

__all__ = ["FlavorQuota", "covered_resources", "group_problems", "resource_groups"]

_MOST_FLAVORS = 64
_MOST_RESOURCES = 64
_MOST_CELLS = 512


@dataclass(frozen=True, slots=True)
class FlavorQuota:
    """What a queue has of one flavor, resource by resource; None for a limit that is not set."""

    flavor: str
    nominal: Amounts
    borrowing: Amounts | None = None
    lending: Amounts | None = None


def covered_resources(quotas: Iterable[FlavorQuota]) -> list[str]:
    """Every resource that some flavor has, sorted."""
    return sorted({name for quota in quotas for name in quota.nominal})


def resource_groups(quotas: Sequence[FlavorQuota]) -> list[dict[str, Any]]:
    """One group; a flavor without some resource has none of it. Flavors stay in the given order of preference."""
    if not quotas:
        return []
    covered = covered_resources(quotas)
    return [{"coveredResources": covered, "flavors": [_flavor(quota, covered) for quota in quotas]}]


def _flavor(quota: FlavorQuota, covered: Sequence[str]) -> dict[str, Any]:
    return {"name": quota.flavor, "resources": [_resource(quota, name) for name in covered]}


def _resource(quota: FlavorQuota, name: str) -> dict[str, Any]:
    entry = {"name": name, "nominalQuota": format_amount(name, quota.nominal.get(name, 0))}
    if name in quota.nominal:
        if quota.borrowing is not None:
            entry["borrowingLimit"] = format_amount(name, quota.borrowing.get(name, 0))
        if quota.lending is not None:
            entry["lendingLimit"] = format_amount(name, quota.lending.get(name, 0))
    return entry


def group_problems(quotas: Sequence[FlavorQuota], what: str, at: Origin) -> list[Diagnostic]:
    """Kueue's limits on one group."""
    covered = len(covered_resources(quotas))
    sizes = ((len(quotas), _MOST_FLAVORS, "flavors"), (covered, _MOST_RESOURCES, "resources"))
    found = [error("SP2010", f"{what} has {n} {word}; Kueue takes {most}", at) for n, most, word in sizes if n > most]
    cells = len(quotas) * covered
    if not found and cells > _MOST_CELLS:
        message = f"{what} has {cells} pairs of flavor and resource; Kueue takes {_MOST_CELLS} a group"
        found.append(error("SP2010", message, at))
    return found
