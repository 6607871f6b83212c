"""What is there already on a cluster: running work of ours with its quota and nodes, and what others hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stowplan.kueue.nodes import Resident, Sketch, sketch_nodes, whole_nodes
from stowplan.kueue.scheduling.assignment import requests_of
from stowplan.kueue.scheduling.quota import Cell
from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.slices import quota_of
from stowplan.kueue.scheduling.topology import Placed
from stowplan.kueue.scheduling.units import units_of
from stowplan.kueue.scheduling.work import Ask
from stowplan.kueue.scheduling.world import Held, Queue, World
from stowplan.kueue.tree import Side
from stowplan.kueue.worlds import placing_flavors, release_on, world_of
from stowplan.model.fleet import Fleet
from stowplan.model.inputs.inventory import Running
from stowplan.model.rooms import PoolRoom
from stowplan.model.workload import Unit, Workload
from stowplan.passes.lower.kueue.amounts import accelerator_resource, shape_of

__all__ = ["Scene", "flavors_of", "open_scene", "shares_of"]


@dataclass(slots=True)
class Scene:
    """A cluster's scheduler with everything booked that runs; `empty` is the same world with nothing in it."""

    scheduler: Scheduler
    empty: World
    rooms: dict[str, PoolRoom]
    ends: dict[str, float] = field(default_factory=dict)
    counted: dict[tuple[str, str], int] = field(default_factory=dict)
    """Accelerators of our running work, by queue and flavor."""

    def pods_without_node(self, ask: Ask, flavor: str | None, workload: Workload) -> tuple[int, tuple[str, ...]]:
        """Pods that no node has room for, where Kueue does not look: flavors without a topology."""
        room = self.rooms.get(flavor or "")
        if flavor is None or room is None or flavor in self.scheduler.world.nodes:
            return 0, ()
        pods = max(podset.count for podset in ask.podsets)
        unit = Unit(1, workload.unit.accelerators, workload.unit.cpu, workload.unit.memory)
        fitting = min(pods, room.workers(unit))
        room.take(unit, fitting)
        if fitting == pods:
            return 0, ()
        return pods - fitting, (f"{flavor}: nodes have room for {fitting} of {pods} pods now, the others stay pending",)


def open_scene(fleet: Fleet, side: Side, asks: Sequence[Ask]) -> Scene:
    """Reads the rendered queues, and books what the snapshot says of running work and usage."""
    by_name = {ask.name: ask for ask in asks}
    observed = side.cluster.observed
    rows = [row for row in observed.running if _is_job(fleet, row)] if observed is not None else []
    residents = [
        Resident(by_name[row.intent], row.flavor, tuple(row.domain), row.accelerators)
        for row in rows
        if row.intent in by_name
    ]
    placing = placing_flavors(side) if asks else {}
    sketch = sketch_nodes(fleet, side.cluster, placing, residents)
    bare = whole_nodes(fleet, side.cluster, placing)
    world = world_of(side, [node for nodes in sketch.nodes.values() for node in nodes])
    empty = world_of(side, [node for nodes in bare.nodes.values() for node in nodes])
    rooms = {flavor: PoolRoom.free_of(pool) for flavor, pool in side.cluster.pools.items()}
    scene = Scene(Scheduler(world, release_on(side)), empty, rooms)
    for intent in sorted({row.intent for row in rows}):
        mine = [row for row in rows if row.intent == intent]
        _book(fleet, side, scene, sketch, by_name.get(intent), mine)
    _book_others(fleet, side, world, scene.counted)
    return scene


def _is_job(fleet: Fleet, row: Running) -> bool:
    workload = fleet.workload(row.intent)
    return workload is not None and workload.kind != "InferenceIntent"


def _book(fleet: Fleet, side: Side, scene: Scene, sketch: Sketch, known: Ask | None, rows: Sequence[Running]) -> None:
    """Books one running intent, with the nodes that it sits on where they are told apart."""
    workload = fleet.workload(rows[0].intent)
    assert workload is not None, "rows of unknown intents are left out"
    ask = known or Ask(workload.name, workload.tenant, (), workload.priority_value)
    world = scene.scheduler.world
    if ask.queue not in world.queues:
        return
    quota: dict[Cell, int] = {}
    flavors: dict[tuple[str, str], str] = {}
    places: list[Placed] = []
    for row in rows:
        key = (ask.queue, row.flavor)
        scene.counted[key] = scene.counted.get(key, 0) + row.accelerators
        mine = flavors_of(fleet, side, world.queues[ask.queue], ask, row, row.flavor) if len(rows) == 1 else {}
        flavors.update(mine)
        counts = quota_of(world.queues[ask.queue], ask.podsets, mine) or shares_of(fleet, side, row, row.flavor)
        for cell, amount in counts.items():
            quota[cell] = quota.get(cell, 0) + amount
        if row.flavor in world.nodes:
            numbers = {leaf.node.name: leaf.number for leaf in world.nodes[row.flavor].leaves}
            places += sketch.placed(ask, row.flavor, numbers)
    scene.scheduler.hold(Held(ask, quota, tuple(places), flavors=flavors))
    scene.ends[ask.name] = float("inf") if workload.is_service else workload.run_hours


def flavors_of(fleet: Fleet, side: Side, queue: Queue, ask: Ask, row: Running, name: str) -> dict[tuple[str, str], str]:
    """Flavors of a running intent by pod set and resource; none where its pods do not ask for what it is seen to hold.

    Then it counts for the share that comes with its accelerators. `name` is what the queue calls the flavor.
    """
    resource = accelerator_resource(fleet, row.flavor, side.cluster.name) if row.flavor in fleet.flavors else None
    asked = {podset.name: requests_of(queue, podset) for podset in ask.podsets}
    if resource is None or sum(one.get(resource, 0) for one in asked.values()) != row.accelerators:
        return {}
    found = {}
    for podset, amounts in asked.items():
        for asked_for in amounts:
            group = queue.group_of(asked_for)
            if group is not None:
                found[podset, asked_for] = name if name in group.flavors else group.flavors[0]
    return found


def shares_of(fleet: Fleet, side: Side, row: Running, name: str) -> dict[Cell, int]:
    """The share of everything that comes with the accelerators of a running intent."""
    shares = _shares(fleet, side, row.flavor, row.accelerators)
    return {(name, counted): amount for (_, counted), amount in shares.items()}


def _shares(fleet: Fleet, side: Side, flavor: str, accelerators: int) -> dict[Cell, int]:
    pool = side.cluster.pools.get(flavor)
    if pool is None:
        return {}
    return {
        (flavor, name): units_of(name, share * accelerators) for name, share in shape_of(fleet, pool).per_unit.items()
    }


def _book_others(fleet: Fleet, side: Side, world: World, counted: Mapping[tuple[str, str], int]) -> None:
    """What is admitted beyond our intents holds quota for good: of whom it is, and how important, nobody told."""
    observed = side.cluster.observed
    for usage in observed.kueue.usage if observed is not None and observed.kueue is not None else ():
        beyond = usage.accelerators - counted.get((usage.queue, usage.flavor), 0)
        if beyond > 0 and usage.queue in world.queues:
            world.book(usage.queue, _shares(fleet, side, usage.flavor, beyond), ())
