"""What a predicate sees: one class of equal needs against one cluster, or one of its pools, and what is held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from stowplan.model.eligibility import Fact, Predicate, Reason
from stowplan.model.fleet import Cluster, Fleet, Pool
from stowplan.model.quota import QuotaTree
from stowplan.model.rooms import PoolRoom
from stowplan.model.workload import Workload
from stowplan.source.span import Origin

__all__ = ["ClusterCase", "Held", "PoolCase", "reason"]


@dataclass(slots=True)
class Held:
    """What services hold for good: room by (cluster, flavor), quota by tenant in each of them, power by cluster.

    Rooms start as everything a pool has, as if nothing ran; booking a service takes from them.
    """

    rooms: dict[tuple[str, str], PoolRoom] = field(default_factory=dict)
    quota: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    power: dict[str, float] = field(default_factory=dict)
    _trees: dict[tuple[str, str], QuotaTree] = field(default_factory=dict)

    def room(self, pool: Pool) -> PoolRoom:
        """The room of a pool."""
        key = (pool.cluster, pool.flavor)
        if key not in self.rooms:
            self.rooms[key] = PoolRoom.total_of(pool)
        return self.rooms[key]

    def tree(self, fleet: Fleet, cluster: str, flavor: str) -> QuotaTree:
        """The quota tree less what services hold; built once until something more is held."""
        key = (cluster, flavor)
        if key not in self._trees:
            self._trees[key] = QuotaTree(fleet, cluster, flavor, self.quota.get(key))
        return self._trees[key]

    def holds_as_much_as(self, other: Held) -> bool:
        """Whether the same is held, leaf by leaf."""
        return (self.quota, self.power, self._free()) == (other.quota, other.power, other._free())

    def _free(self) -> dict[tuple[str, str], list[tuple[int, int]]]:
        found = {key: [(r.free_nodes, r.free_accelerators) for r in room.leaves] for key, room in self.rooms.items()}
        whole = {
            key: [(r.leaf.nodes, r.leaf.nodes * r.leaf.accelerators_per_node) for r in room.leaves]
            for key, room in self.rooms.items()
        }
        return {key: free for key, free in found.items() if free != whole[key]}

    def hold_quota(self, cluster: str, flavor: str, tenant: str, accelerators: int) -> None:
        """Books quota of a tenant."""
        held = self.quota.setdefault((cluster, flavor), {})
        held[tenant] = held.get(tenant, 0) + accelerators
        self._trees.pop((cluster, flavor), None)


@dataclass(frozen=True, slots=True)
class ClusterCase:
    """A workload against a cluster as a whole."""

    fleet: Fleet
    workload: Workload
    cluster: Cluster
    held: Held


@dataclass(frozen=True, slots=True)
class PoolCase(ClusterCase):
    """A workload against one flavor of a cluster."""

    pool: Pool

    def groups(self) -> Iterator[tuple[int, Origin]]:
        """Indices and places of the node groups of the flavor."""
        return ((index, origin) for index, (_, origin) in enumerate(self.pool.groups))


def reason(
    predicate: Predicate, message: str, need: tuple[str, Origin | None], found: tuple[str, Origin | None]
) -> Reason:
    """A reason from plain pairs."""
    return Reason(predicate, message, Fact(*need), Fact(*found))
