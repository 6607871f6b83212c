"""Room in a pool: how many workers fit into which topology domain, and what taking some leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from stowplan.model.fleet import Leaf, Pool
from stowplan.model.workload import Unit

__all__ = ["DomainRoom", "LeafRoom", "PoolRoom", "best_per_node", "workers_per_node"]


def workers_per_node(leaf: Leaf, unit: Unit) -> int:
    """How many workers of the unit one whole free node takes; a worker never spans nodes."""
    return _fit(leaf.accelerators_per_node, leaf.cpu, leaf.memory, unit.accelerators, unit.cpu, unit.memory)


def best_per_node(pool: Pool, unit: Unit) -> int | None:
    """The most workers that a whole free node of the pool takes; None where it has no nodes."""
    key = (unit.accelerators, unit.cpu, unit.memory)
    if key not in pool.best_per_node:
        pool.best_per_node[key] = max((workers_per_node(leaf, unit) for leaf in pool.leaves), default=None)
    return pool.best_per_node[key]


@lru_cache(65_536)
def _fit(has_accelerators: int, has_cpu: int, has_memory: int, accelerators: int, cpu: int, memory: int) -> int:
    bounds = []
    if accelerators:
        bounds.append(has_accelerators // accelerators)
    if cpu:
        bounds.append(has_cpu // cpu)
    if memory:
        bounds.append(has_memory // memory)
    return min(bounds, default=has_accelerators)


@dataclass(slots=True)
class LeafRoom:
    """Free room of a leaf: whole nodes, and accelerators (those on partly used nodes included)."""

    leaf: Leaf
    free_nodes: int
    free_accelerators: int

    def _partial_workers(self, unit: Unit) -> int:
        """Workers that fit on partly used nodes however their free accelerators are spread over them."""
        if not unit.accelerators:
            return 0
        loose = self.free_accelerators - self.free_nodes * self.leaf.accelerators_per_node
        if unit.accelerators == 1:
            return max(0, loose)
        used_nodes = self.leaf.nodes - self.free_nodes
        spare = loose - used_nodes * (unit.accelerators - 1)
        return max(0, -(-spare // unit.accelerators))

    def workers(self, unit: Unit) -> int:
        """Workers of the unit that fit."""
        per_node = workers_per_node(self.leaf, unit)
        if per_node == 0:
            return 0
        return self.free_nodes * per_node + self._partial_workers(unit)

    def take(self, unit: Unit, workers: int) -> None:
        """Books `workers`, partly used nodes first, then whole ones."""
        partial = min(workers, self._partial_workers(unit))
        rest = workers - partial
        if rest:
            self.free_nodes -= -(-rest // workers_per_node(self.leaf, unit))
        self.free_accelerators -= workers * unit.accelerators


@dataclass(frozen=True, slots=True)
class DomainRoom:
    """A topology domain by its path, the leaves below it by index, and the workers that fit into it."""

    path: tuple[str, ...]
    leaves: tuple[int, ...]
    workers: int


class PoolRoom:
    """Room of a pool, leaf by leaf."""

    __slots__ = ("leaves", "levels")

    def __init__(self, leaves: list[LeafRoom], levels: tuple[str, ...]) -> None:
        """Takes over the list; see `total_of` and `free_of`."""
        self.leaves = leaves
        self.levels = levels

    @classmethod
    def total_of(cls, pool: Pool) -> PoolRoom:
        """Everything the pool has, as if nothing ran."""
        rooms = [LeafRoom(leaf, leaf.nodes, leaf.nodes * leaf.accelerators_per_node) for leaf in pool.leaves]
        return cls(rooms, pool.levels)

    @classmethod
    def free_of(cls, pool: Pool) -> PoolRoom:
        """What is free now."""
        return cls([LeafRoom(leaf, leaf.free_nodes, leaf.free_accelerators) for leaf in pool.leaves], pool.levels)

    def copy(self) -> PoolRoom:
        """An independent copy."""
        return PoolRoom([LeafRoom(r.leaf, r.free_nodes, r.free_accelerators) for r in self.leaves], self.levels)

    @property
    def free_accelerators(self) -> int:
        """Free accelerators of the pool."""
        return sum(room.free_accelerators for room in self.leaves)

    def workers(self, unit: Unit) -> int:
        """Workers of the unit that fit anywhere in the pool."""
        return sum([room.workers(unit) for room in self.leaves])

    def units(self, unit: Unit, level: str | None = None) -> int:
        """Whole units that fit: anywhere in the pool, or each in one domain of the level."""
        if unit.workers == 1:
            return self.workers(unit)
        if level is None:
            return self.workers(unit) // unit.workers
        return sum(domain.workers // unit.workers for domain in self.domains(level, unit))

    def domains(self, level: str, unit: Unit) -> list[DomainRoom]:
        """Every domain of the level with the workers that fit, by path; for the node level, the best node of a leaf."""
        if level not in self.levels:
            return []
        depth = self.levels.index(level) + 1
        if depth == len(self.levels):
            return [DomainRoom(r.leaf.path, (i,), self._node_workers(r, unit)) for i, r in enumerate(self.leaves)]
        groups: dict[tuple[str, ...], list[int]] = {}
        for index, room in enumerate(self.leaves):
            groups.setdefault(room.leaf.path[:depth], []).append(index)
        return [
            DomainRoom(path, tuple(indices), sum([self.leaves[i].workers(unit) for i in indices]))
            for path, indices in sorted(groups.items())
        ]

    @staticmethod
    def _node_workers(room: LeafRoom, unit: Unit) -> int:
        if room.free_nodes:
            return workers_per_node(room.leaf, unit)
        return min(1, room.workers(unit))

    def take(self, unit: Unit, workers: int, leaves: tuple[int, ...] | None = None) -> None:
        """Books `workers` into the given leaves, fullest first, so that whole domains stay whole."""
        indices = range(len(self.leaves)) if leaves is None else leaves
        order = sorted([(self.leaves[i].workers(unit), self.leaves[i].leaf.path, i) for i in indices])
        for fitting, _, index in order:
            room = self.leaves[index]
            part = min(workers, fitting)
            if part:
                room.take(unit, part)
                workers -= part
            if workers == 0:
                return
        raise ValueError(f"{workers} workers more than the room takes")

    def hold(self, accelerators: int, path: tuple[str, ...]) -> None:
        """Holds `accelerators` below `path` whatever their node, as far as there are any (work that runs there)."""
        for room in self.leaves:
            if room.leaf.path[: len(path)] == path and accelerators:
                part = min(accelerators, room.free_accelerators)
                room.free_accelerators -= part
                per_node = room.leaf.accelerators_per_node or 1
                room.free_nodes = min(room.free_nodes, room.free_accelerators // per_node)
                accelerators -= part
