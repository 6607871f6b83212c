"""What comes next: work ends in the order of its hours, and who waits is admitted when room is made."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from stowplan.kueue.scheduling.dispatching import Hub
from stowplan.kueue.scheduling.slices import work_of
from stowplan.kueue.scheduling.world import Held, World

__all__ = ["admitted_after"]

_BUDGET = 20_000
"""Heads tried for each side; beyond it those who still wait are told nobody."""


def admitted_after(hub: Hub, ends: Mapping[str, float], hours: Callable[[str], float]) -> dict[str, tuple[str, ...]]:
    """For each that waits, who must end first, in the order of their ends; plays the schedulers on to the end of all work.

    `ends` are hours from now of what is admitted, `hours` the run time of what is admitted later. Whoever is never
    admitted, because what never ends holds the room, is left out.
    """
    clock = _Clock(hub)
    clock.start(
        (name, ends.get(work_of(name), hours(work_of(name)))) for side in hub.sides for name in _running(hub, side)
    )
    waiting = hub.waiting()
    needed: dict[str, list[str]] = {}
    found: dict[str, tuple[str, ...]] = {}
    limit = hub.tries + _BUDGET * len(hub.sides)
    while waiting and hub.tries < limit and not any(scheduler.restless for scheduler in hub.sides.values()):
        now, batch = clock.next()
        if now == math.inf:
            break
        for side, fresh in clock.end(batch).items():
            rows = clock.needed(side)
            for name in fresh:
                work = work_of(name)
                mine = needed.setdefault(work, [])
                mine.extend(row for row in rows if row not in mine)
                if not hub.is_running(side, name):
                    continue
                clock.start([(name, clock.end_of(name, now + hours(work_of(name))))])
                if work in waiting:
                    found[work] = tuple(needed.pop(work))
                    waiting.discard(work)
    return found


def _running(hub: Hub, side: str) -> list[str]:
    return [name for name in hub.sides[side].world.held if hub.is_running(side, name)]


@dataclass(slots=True)
class _Clock:
    """When what runs ends, and on each side what has ended and was not needed by anybody since."""

    hub: Hub
    at: dict[str, float] = field(default_factory=dict)
    order: list[tuple[float, str]] = field(default_factory=list)
    ended: dict[str, dict[str, Held]] = field(default_factory=dict)

    def start(self, rows: Iterable[tuple[str, float]]) -> None:
        for name, end in rows:
            self.at[name] = end
            heapq.heappush(self.order, (end, name))

    def end_of(self, name: str, fresh: float) -> float:
        """When newly admitted work ends: a slice when the work would that it belongs to."""
        if work_of(name) == name:
            return fresh
        return next((end for other, end in self.at.items() if other != name and work_of(other) == work_of(name)), fresh)

    def next(self) -> tuple[float, list[str]]:
        """When something ends next, and all that ends then."""
        now = math.inf
        batch: set[str] = set()
        while self.order and (not batch or self.order[0][0] == now):
            end, name = heapq.heappop(self.order)
            if end != math.inf and self.at.get(name) == end and self._is_held(name):
                now = end
                batch.add(name)
        return now, sorted(batch)

    def _is_held(self, name: str) -> bool:
        return any(
            name in scheduler.world.held and self.hub.is_running(side, name)
            for side, scheduler in self.hub.sides.items()
        )

    def end(self, batch: Iterable[str]) -> dict[str, list[str]]:
        """Ends work; who was admitted then, on each side that something changed on."""
        names = list(batch)
        for side, scheduler in self.hub.sides.items():
            mine = self.ended.setdefault(side, {})
            mine.update((name, scheduler.world.held[name]) for name in names if name in scheduler.world.held)
        marks = {side: scheduler.booked for side, scheduler in self.hub.sides.items()}
        self.hub.touched.clear()
        self.hub.end(names)
        for side, scheduler in self.hub.sides.items():  # what is held after its end is held for good
            self.ended[side] = {
                name: held for name, held in self.ended[side].items() if name not in scheduler.world.held
            }
        self.hub.settle()
        found = {}
        for side in sorted(self.hub.touched, key=lambda name: (name != self.hub.manager, name)):
            held = self.hub.sides[side].world.held
            fresh = [name for name, one in held.items() if one.since > marks[side]]
            if fresh:
                found[side] = fresh
        return found

    def needed(self, side: str) -> list[str]:
        """Those that ended, and of whose room something is used now: each is told once."""
        mine = self.ended[side]
        rows = _needed(self.hub.sides[side].world, mine.values())
        for name in rows:
            del mine[name]
        return rows


def _needed(world: World, ended: Iterable[Held]) -> list[str]:
    """Those of whose room something is used now: they could not come back."""
    back: list[Held] = []
    needed = []
    for held in ended:
        node = world.queues[held.queue].node
        fits = all(amount <= node.available(cell) for cell, amount in held.quota.items())
        if fits and all(world.nodes[placed.flavor].has_room(placed) for placed in held.places):
            world.add(held)
            back.append(held)
        else:
            needed.append(held.ask.name)
    for held in back:
        world.remove(held)
    return needed
