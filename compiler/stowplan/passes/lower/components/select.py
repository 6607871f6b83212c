"""Which clusters get a component, and with which values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stowplan.diagnostics.model import Diagnostic, Label, warning
from stowplan.model.entity import Entity
from stowplan.model.fleet import Cluster, Fleet
from stowplan.model.inputs.policies import ComponentSpec
from stowplan.source.span import Origin

__all__ = ["check_selection", "selected", "values_for"]


def selected(fleet: Fleet, component: Entity[ComponentSpec]) -> tuple[Cluster, ...]:
    """Clusters that satisfy every part of the selector, by name; pure hubs only where it asks for them."""
    return tuple(cluster for cluster in fleet.clusters.values() if _matches(component.spec, cluster))


def _matches(spec: ComponentSpec, cluster: Cluster) -> bool:
    chosen = spec.selector
    if not cluster.is_member and cluster.name not in chosen.clusters and "hub" not in chosen.roles:
        return False
    return (
        (not chosen.roles or any(role in chosen.roles for role in cluster.spec.roles))
        and (not chosen.clusters or cluster.name in chosen.clusters)
        and (not chosen.environments or cluster.spec.environment in chosen.environments)
        and all(cluster.labels.get(key) == value for key, value in chosen.labels.items())
    )


def values_for(component: Entity[ComponentSpec], cluster: str) -> tuple[dict[str, Any], Mapping[Any, Origin]]:
    """The values in one cluster, and where each was stated; an override replaces values key by key."""
    values: dict[str, Any] = dict(component.spec.values)
    origins: dict[Any, Origin] = {("values", key): component.at("values", key) for key in values}
    for index, override in enumerate(component.spec.overrides):
        if cluster in override.clusters:
            for key, value in override.values.items():
                values[key] = value
                origins["values", key] = component.at("overrides", index, "values", key)
    return values, origins


def check_selection(component: Entity[ComponentSpec], clusters: tuple[Cluster, ...]) -> list[Diagnostic]:
    """A selector that selects nothing, and overrides for clusters that do not get the component."""
    if not clusters:
        return [
            warning(
                "SP0743",
                f"no cluster gets component `{component.name}`",
                component.at("selector"),
                "selects none",
                helps=(
                    "a cluster must satisfy every part of the selector; pure hubs are selected by name or role only",
                ),
            )
        ]
    names = {cluster.name for cluster in clusters}
    found = []
    for index, override in enumerate(component.spec.overrides):
        for place, cluster in enumerate(override.clusters):
            if cluster not in names:
                found.append(
                    warning(
                        "SP0744",
                        f"cluster `{cluster}` does not get component `{component.name}`, so its values count for nothing",
                        component.at("overrides", index, "clusters", place),
                        "not selected",
                        secondary=(Label(component.at("selector"), "selected here"),),
                    )
                )
    return found
