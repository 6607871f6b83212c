"""WorkloadPriorityClasses: the fleet's priorities, on every cluster that queues work."""

from __future__ import annotations

from collections.abc import Iterator

from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Manifest, Unit
from stowplan.passes.lower.kueue.dialect import Dialect

__all__ = ["priority_manifests"]


def priority_manifests(fleet: Fleet, unit: Unit, dialect: Dialect) -> Iterator[Manifest]:
    """One class for each priority of the fleet."""
    for name, value in sorted(fleet.spec.priorities.items()):
        origin = fleet.entity.at("priorities", name)
        yield Manifest(
            unit,
            "kueue/workloadpriorityclass",
            {
                "api_version": dialect.api_version,
                "name": name,
                "value": value,
                "description": f"priority {name} of fleet {fleet.name}",
            },
            {(): origin, ("name",): origin.key(), ("value",): origin},
            f"fleet/{fleet.name}",
        )
