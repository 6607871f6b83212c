"""Entities as plain data, with the names that users write: what policy expressions and components' templates see."""

from __future__ import annotations

from typing import Any

from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.workload import Workload

__all__ = ["cluster_value", "flavor_value", "fleet_value", "intent_value", "tenant_value"]


def _value(entity: Entity[Any]) -> dict[str, Any]:
    value: dict[str, Any] = entity.spec.model_dump(by_alias=True, exclude_none=True, mode="json", warnings=False)
    value["name"] = entity.name
    value["labels"] = dict(entity.labels)
    value["annotations"] = dict(entity.annotations)
    return value


def intent_value(workload: Workload) -> dict[str, Any]:
    """The intent as users see it: defaults and priority filled in."""
    value = _value(workload.entity)
    value["kind"] = workload.kind
    value["priority"] = workload.priority
    value["namespace"] = workload.namespace
    value["dispatch"] = workload.dispatch
    value["totalAccelerators"] = workload.total_accelerators
    return value


def cluster_value(cluster: Cluster) -> dict[str, Any]:
    """The cluster as users see it."""
    value = _value(cluster.entity)
    if cluster.snapshot is not None:
        value["observed"] = cluster.snapshot.spec.model_dump(
            by_alias=True, exclude_none=True, mode="json", warnings=False
        )
    return value


def flavor_value(fleet: Fleet, flavor: str) -> dict[str, Any]:
    """The flavor as users see it."""
    return _value(fleet.flavors[flavor])


def tenant_value(fleet: Fleet, tenant: str) -> dict[str, Any]:
    """The tenant as users see it."""
    return _value(fleet.tenants[tenant])


def fleet_value(fleet: Fleet) -> dict[str, Any]:
    """The fleet as users see it."""
    return _value(fleet.entity)
