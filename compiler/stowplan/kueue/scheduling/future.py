"""What comes next: work ends in the order of its hours, and who waits is admitted when room is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.world import Held, World

__all__ = ["admitted_after"]

_BUDGET = 20_000
"""Heads tried; beyond it those who still wait are told nobody."""


def admitted_after(
    scheduler: Scheduler, ends: Mapping[str, float], hours: Callable[[str], float]
) -> dict[str, tuple[str, ...]]:
    """For each that waits, who must end first, in the order of their ends; plays the scheduler on to the end of all work.

    `ends` are hours from now of what is admitted, `hours` the run time of what is admitted later. Whoever is never
    admitted, because what never ends holds the room, is left out.
    """
    at = {name: ends.get(name, hours(name)) for name in scheduler.world.held}
    waiting = {ask.name for ask in scheduler.waiting()}
    ended: dict[str, Held] = {}
    found: dict[str, tuple[str, ...]] = {}
    limit = scheduler.tries + _BUDGET
    while waiting and scheduler.tries < limit and not scheduler.restless:
        now = min((at[name] for name in scheduler.world.held), default=math.inf)
        if now == math.inf:
            break
        batch = sorted(name for name in scheduler.world.held if at[name] == now)
        ended.update((name, scheduler.world.held[name]) for name in batch)
        before = set(scheduler.world.held).difference(batch)
        scheduler.finish(batch)
        scheduler.settle()
        fresh = [name for name in scheduler.world.held if name not in before]
        if not fresh:
            continue
        needed = _needed(scheduler.world, ended.values())
        at.update((name, now + hours(name)) for name in fresh)
        for name in waiting.intersection(fresh):
            found[name] = tuple(needed)
        waiting.difference_update(fresh)
        for name in needed:
            del ended[name]
    return found


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
