"""The targets of a fleet: member clusters, the Kueue manager, and Karmada's API server."""

from __future__ import annotations

from stowplan.model.fleet import Fleet
from stowplan.model.manifest import Target

__all__ = ["cluster_target", "karmada_target", "manager_target"]


def cluster_target(fleet: Fleet, cluster: str) -> Target:
    """A cluster's own units."""
    return Target(f"clusters/{cluster}", cluster, cluster, fleet.clusters[cluster].spec.delivery.engine)


def manager_target(fleet: Fleet) -> Target | None:
    """The MultiKueue manager's units, None where the fleet has none."""
    hub = fleet.spec.hubs.kueue
    if hub is None:
        return None
    return Target("hubs/kueue", hub.cluster, hub.cluster, fleet.clusters[hub.cluster].spec.delivery.engine)


def karmada_target(fleet: Fleet) -> Target | None:
    """Karmada's own API server, None where the fleet has none. Argo CD knows it as the destination `karmada`."""
    hub = fleet.spec.hubs.karmada
    if hub is None:
        return None
    return Target("hubs/karmada", "karmada", hub.cluster, fleet.clusters[hub.cluster].spec.delivery.engine)
