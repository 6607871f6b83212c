"""What is free now, pool by pool: rooms, quota trees, and power, with every booking and when it ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from stowplan.model.fleet import Fleet, Pool
from stowplan.model.quota import QuotaTree
from stowplan.model.rooms import DomainRoom, PoolRoom, best_per_node
from stowplan.model.workload import Unit, Workload
from stowplan.passes.eligibility.context import Held

__all__ = ["Booking", "Ledger"]


@dataclass(frozen=True, slots=True)
class Booking:
    """Capacity taken for a workload until `ends` (hours from as-of; infinite for services)."""

    workload: str
    tenant: str
    unit: Unit
    workers: int
    accelerators: int
    domain: tuple[str, ...] | None
    ends: float
    is_running: bool
    in_queue: bool
    """Whether it counts against the tenant's ClusterQueue (what services hold is off the nominal quota already)."""


@dataclass(slots=True)
class _PoolState:
    pool: Pool
    room: PoolRoom
    tree: QuotaTree
    bookings: list[Booking] = field(default_factory=list)
    rooms_after: dict[float, PoolRoom] = field(default_factory=dict)
    trees_after: dict[float, QuotaTree] = field(default_factory=dict)
    leaves_below: dict[tuple[str, ...], tuple[int, ...]] = field(default_factory=dict)

    def add(self, booking: Booking) -> None:
        """One more booking: what was worked out for later times no longer holds."""
        self.bookings.append(booking)
        self.rooms_after.clear()
        self.trees_after.clear()

    def below(self, path: tuple[str, ...]) -> tuple[int, ...]:
        """The leaves below a domain."""
        if path not in self.leaves_below:
            found = [i for i, r in enumerate(self.room.leaves) if r.leaf.path[: len(path)] == path]
            self.leaves_below[path] = tuple(found)
        return self.leaves_below[path]


class Ledger:
    """Free capacity of every pool now, and after bookings end."""

    def __init__(self, fleet: Fleet, held: Held) -> None:
        """Starts from what the snapshots say is free; quota trees less what services hold."""
        self._fleet = fleet
        self._held = held
        self._states: dict[tuple[str, str], _PoolState] = {}
        self._power: dict[str, float] = {}
        for cluster in fleet.members:
            busy = 0.0
            for pool in cluster.pools.values():
                free = sum(leaf.free_nodes for leaf in pool.leaves)
                busy += (pool.nodes - free) * pool.power_kilowatts_per_node
            self._power[cluster.name] = busy

    def state(self, cluster: str, flavor: str) -> _PoolState:
        """The state of a pool, made on first use."""
        key = (cluster, flavor)
        if key not in self._states:
            pool = self._fleet.clusters[cluster].pools[flavor]
            tree = QuotaTree(self._fleet, cluster, flavor, self._held.quota.get(key))
            self._states[key] = _PoolState(pool, PoolRoom.free_of(pool), tree)
        return self._states[key]

    def book_running(self, cluster: str, flavor: str, booking: Booking) -> None:
        """Running work: it is not part of what is free, but it uses quota and ends some time."""
        state = self.state(cluster, flavor)
        state.add(booking)
        node = state.tree.tenants.get(booking.tenant)
        if node is not None and booking.in_queue:
            node.use(booking.accelerators)

    def hold_room(self, cluster: str, flavor: str, unit: Unit, workers: int) -> int:
        """Takes room for services without quota, as much as is free; says how many workers found room."""
        state = self.state(cluster, flavor)
        part = min(workers, state.room.workers(unit))
        if part:
            state.room.take(unit, part)
        return part

    def fits(self, workload: Workload, cluster: str, flavor: str, level: str | None) -> DomainRoom | None:
        """A domain (or the whole pool, as a domain without a path) with room and quota for the workload now."""
        state = self.state(cluster, flavor)
        workers = workload.units * workload.unit.workers
        if not self._quota_fits(state.tree, workload) or not self._power_fits(state.pool, workload, workers):
            return None
        return _choose(state.room, workload.unit, workers, level)

    def book(self, cluster: str, flavor: str, workload: Workload, domain: DomainRoom, ends: float) -> None:
        """Takes room, quota, and power for all units of the workload."""
        state = self.state(cluster, flavor)
        workers = workload.units * workload.unit.workers
        state.room.take(workload.unit, workers, domain.leaves)
        accelerators = workload.total_accelerators
        node = state.tree.tenants.get(workload.tenant)
        if node is not None:
            node.use(accelerators)
        self._power[cluster] = self._power.get(cluster, 0.0) + _draw(state.pool, workload.unit, workers)
        path = domain.path or None
        state.add(
            Booking(workload.name, workload.tenant, workload.unit, workers, accelerators, path, ends, False, True)
        )

    def wait_until_fit(self, workload: Workload, cluster: str, flavor: str, level: str | None) -> float | None:
        """Hours until enough bookings have ended for the workload to fit; None where none of them helps."""
        state = self.state(cluster, flavor)
        workers = workload.units * workload.unit.workers
        ends = sorted({b.ends for b in state.bookings if b.ends != float("inf")})
        for end in ends:
            if not self._quota_fits(self._tree_after(state, end), workload):
                continue
            if _choose(self._room_after(state, end), workload.unit, workers, level) is not None:
                return end
        return None

    def _room_after(self, state: _PoolState, end: float) -> PoolRoom:
        """Room once everything that ends by then has ended."""
        room = state.rooms_after.get(end)
        if room is not None:
            return room
        room = state.rooms_after[end] = PoolRoom.free_of(state.pool)
        for booking in state.bookings:
            gone = booking.ends <= end
            if booking.is_running and gone:
                _give_back(room, booking)
            elif not booking.is_running and not gone:
                leaves = state.below(booking.domain or ())
                if sum([room.leaves[i].workers(booking.unit) for i in leaves]) >= booking.workers:
                    room.take(booking.unit, booking.workers, leaves)
        return room

    def _tree_after(self, state: _PoolState, end: float) -> QuotaTree:
        """Quota once everything that ends by then has ended."""
        tree = state.trees_after.get(end)
        if tree is not None:
            return tree
        key = (state.pool.cluster, state.pool.flavor)
        tree = state.trees_after[end] = QuotaTree(self._fleet, *key, self._held.quota.get(key))
        for booking in state.bookings:
            node = tree.tenants.get(booking.tenant)
            if node is not None and booking.in_queue and booking.ends > end:
                node.use(booking.accelerators)
        return tree

    @staticmethod
    def _quota_fits(tree: QuotaTree, workload: Workload) -> bool:
        if not workload.total_accelerators:
            return True
        node = tree.tenants.get(workload.tenant)
        return node is not None and node.available() >= workload.total_accelerators

    def _power_fits(self, pool: Pool, workload: Workload, workers: int) -> bool:
        site = self._fleet.clusters[pool.cluster].spec.power
        if site is None:
            return True
        draw = _draw(pool, workload.unit, workers)
        return self._power.get(pool.cluster, 0.0) + draw <= site.cap_kilowatts


def _draw(pool: Pool, unit: Unit, workers: int) -> float:
    per_node = best_per_node(pool, unit) or 1
    return -(-workers // per_node) * pool.power_kilowatts_per_node


def _choose(room: PoolRoom, unit: Unit, workers: int, level: str | None) -> DomainRoom | None:
    """The smallest domain with room enough, so that larger ones stay whole; ties by path."""
    if level is None:
        return DomainRoom((), tuple(range(len(room.leaves))), workers) if room.workers(unit) >= workers else None
    fitting = [d for d in room.domains(level, unit) if d.workers >= workers]
    return min(fitting, key=lambda d: (d.workers, d.path), default=None)


def _give_back(room: PoolRoom, booking: Booking) -> None:
    accelerators = booking.accelerators
    path = booking.domain or ()
    for leaf_room in room.leaves:
        leaf = leaf_room.leaf
        if leaf.path[: len(path)] == path and accelerators:
            part = min(accelerators, leaf.nodes * leaf.accelerators_per_node - leaf_room.free_accelerators)
            leaf_room.free_accelerators += part
            whole = part // leaf.accelerators_per_node if leaf.accelerators_per_node else 0
            leaf_room.free_nodes = min(leaf.nodes, leaf_room.free_nodes + whole)
            accelerators -= part
