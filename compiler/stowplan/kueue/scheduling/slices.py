"""Slices of elastic work: a new size is new work that replaces what is held, and asks for the difference only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stowplan.kueue.scheduling.assignment import requests_of
from stowplan.kueue.scheduling.quota import Cell
from stowplan.kueue.scheduling.work import Ask, PodAsk
from stowplan.kueue.scheduling.world import Held, Queue, World

__all__ = ["is_smaller", "next_slice", "quota_of", "replaced", "rest_of", "shrunk", "taken_before", "work_of"]

_MARK = "~"
"""Between the name of work and the number of its slice; no name of an object holds it."""


def work_of(name: str) -> str:
    """The work that a slice, or the work itself, belongs to."""
    return name.partition(_MARK)[0]


def next_slice(ask: Ask, held: Held) -> Ask:
    """The slice that gives held work the size that is asked for."""
    work, _, number = held.ask.name.partition(_MARK)
    return replace(ask, name=f"{work}{_MARK}{int(number or 1) + 1}", replaces=held.ask.name)


def replaced(world: World, ask: Ask) -> Held | None:
    """What the slice would replace; nothing where that is no longer held: then it asks for all."""
    held = world.held.get(ask.replaces) if ask.replaces is not None else None
    return held if held is not None and held.queue == ask.queue else None


def is_smaller(podsets: Iterable[PodAsk], held: Held) -> bool:
    """Whether some pod set has fewer pods than are held, and none has more."""
    before = {podset.name: podset.count for podset in held.ask.podsets}
    changes = [podset.count - before.get(podset.name, 0) for podset in podsets]
    return min(changes, default=0) < 0 and max(changes) <= 0


def taken_before(queue: Queue, held: Held | None, podset: str, resource: str) -> int:
    """What a pod set of the replaced slice counts for already."""
    if held is None:
        return 0
    mine = next((one for one in held.ask.podsets if one.name == podset), None)
    return requests_of(queue, mine).get(resource, 0) if mine is not None else 0


def rest_of(held: Held | None, podset: PodAsk) -> PodAsk:
    """A pod set with the pods only that the replaced slice does not have."""
    if held is None:
        return podset
    before = next((one.count for one in held.ask.podsets if one.name == podset.name), 0)
    return replace(podset, count=podset.count - before)


def quota_of(queue: Queue, podsets: Iterable[PodAsk], flavors: Mapping[tuple[str, str], str]) -> dict[Cell, int]:
    """What pod sets take on the flavors of their resources."""
    found: dict[Cell, int] = {}
    for podset in podsets:
        for resource, amount in requests_of(queue, podset).items():
            flavor = flavors.get((podset.name, resource))
            if flavor is not None:
                found[flavor, resource] = found.get((flavor, resource), 0) + amount
    return found


def shrunk(queue: Queue, held: Held, podsets: tuple[PodAsk, ...]) -> Held:
    """Held work with fewer pods: same flavors, less quota. Places stay taken, as Kueue leaves them."""
    ask = replace(held.ask, podsets=podsets)
    return Held(ask, quota_of(queue, podsets, held.flavors), held.places, held.since, held.flavors)
