"""What flavor assignment comes to: flavors by resource of each pod set, what that takes, and the places of its pods."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from stowplan.kueue.scheduling.placing import Place, Request, place_all
from stowplan.kueue.scheduling.quota import Cell
from stowplan.kueue.scheduling.release import Release
from stowplan.kueue.scheduling.topology import Placed
from stowplan.kueue.scheduling.work import PodAsk
from stowplan.kueue.scheduling.world import Queue, World

__all__ = [
    "Assignment", "Chosen", "Mode", "PodSetAssignment", "Requests", "find_places", "misplaced", "placed_pods", "requests_of",
    "take_places", "topology_requests",
]  # fmt: skip

Requests = Mapping[str, list[Request]]
"""Pod sets that want a place, by flavor."""


class Mode(enum.IntEnum):
    """How a flavor takes something, the better the higher. NO_CANDIDATES: quota would do, but nobody may be preempted."""

    NO_FIT = 0
    NO_CANDIDATES = 1
    PREEMPT = 2
    RECLAIM = 3
    FIT = 4

    @property
    def step(self) -> Mode:
        """The mode in three steps: no fit, by preemption, now."""
        return Mode.PREEMPT if Mode.NO_FIT < self < Mode.FIT else self


@dataclass(slots=True)
class Chosen:
    """The flavor of one resource; `tried` is the last flavor looked at, -1 where that was the last there is."""

    flavor: str
    mode: Mode
    height: int
    tried: int = -1


@dataclass(slots=True)
class PodSetAssignment:
    """Flavors by resource of one pod set, why not better ones, and its place."""

    ask: PodAsk
    flavors: dict[str, Chosen] = field(default_factory=dict)
    why: list[str] = field(default_factory=list)
    place: Place | None = None
    is_late: bool = False
    """Whether it gets its place once its nodes are there."""

    @property
    def mode(self) -> Mode:
        """The worst of all resources."""
        if not self.why:
            return Mode.FIT
        return min((chosen.mode for chosen in self.flavors.values()), default=Mode.NO_FIT)


@dataclass(slots=True)
class Assignment:
    """One for all pod sets; `quota` is what they take, `height` how far up the tree the furthest quota comes from."""

    podsets: list[PodSetAssignment] = field(default_factory=list)
    quota: dict[Cell, int] = field(default_factory=dict)
    height: int = 0
    mode: Mode = Mode.NO_FIT

    @property
    def flavors(self) -> frozenset[str]:
        """Every flavor that something comes from."""
        return frozenset(flavor for flavor, _ in self.quota)

    @property
    def why(self) -> tuple[str, ...]:
        """Reasons, each once, in the order they were found."""
        return tuple(dict.fromkeys(text for podset in self.podsets for text in podset.why))

    @property
    def is_broken(self) -> bool:
        """Whether some place holds nobody, so that the admission fails and is tried again, without end."""
        return any(podset.place is not None and podset.place.is_broken for podset in self.podsets)

    def cells_to_preempt(self) -> frozenset[Cell]:
        """Cells of pod sets that need a preemption."""
        return frozenset(
            (chosen.flavor, name)
            for podset in self.podsets
            for name, chosen in podset.flavors.items()
            if chosen.mode is Mode.PREEMPT
        )

    def tried(self) -> tuple[dict[str, int], ...]:
        """The flavors last looked at, by pod set and resource."""
        return tuple({name: chosen.tried for name, chosen in podset.flavors.items()} for podset in self.podsets)


def requests_of(queue: Queue, podset: PodAsk) -> dict[str, int]:
    """What all pods of the set count for; pods themselves where the queue covers them."""
    key = (podset.shape, podset.count)
    if podset.shape and key in queue.totals:
        return queue.totals[key]
    found = {name: amount * podset.count for name, amount in podset.counted.items() if name != "pods"}
    if queue.group_of("pods") is not None:
        found["pods"] = podset.count
    queue.totals[key] = {name: n for name, n in found.items() if n or queue.group_of(name) is not None}
    return queue.totals[key]


def topology_requests(world: World, queue: Queue, made: Assignment) -> dict[str, list[Request]]:
    """Pod sets that want a place and have none yet; those whose nodes are provisioned first get theirs later."""
    found: dict[str, list[Request]] = {}
    for podset in made.podsets:
        asks = podset.ask.asks_for_place
        if not (asks or queue.is_placing) or podset.place is not None or not podset.ask.count:
            continue
        flavors = sorted({c.flavor for c in podset.flavors.values() if world.flavors[c.flavor].topology is not None})
        if not flavors:
            continue
        if queue.late is None or flavors[0] in queue.late:
            podset.is_late = True
            continue
        found.setdefault(flavors[0], []).append(Request(podset.ask, not asks))
    return found


def find_places(world: World, release: Release, requests: Requests, *, as_empty: bool = False) -> dict[str, Place]:
    """Places by pod set, with all flavors' nodes as they are, or as if nothing was placed on them."""
    found: dict[str, Place] = {}
    for flavor, rows in requests.items():
        found.update(place_all(world.nodes[flavor], rows, release, as_empty=as_empty))
    return found


def misplaced(places: Mapping[str, Place]) -> tuple[str, str] | None:
    """The first pod set without a place, and why."""
    return next(((name, place.why) for name, place in places.items() if place.why is not None), None)


def take_places(made: Assignment, places: Mapping[str, Place]) -> None:
    """Notes the places that were found."""
    for podset in made.podsets:
        place = places.get(podset.ask.name)
        if place is not None:
            podset.place = place if place.why is None else None


def placed_pods(world: World, release: Release, queue: Queue, made: Assignment) -> tuple[Placed, ...]:
    """What the placed pods take of their leaves."""
    found = []
    for podset in made.podsets:
        if podset.place is None or not podset.place.counts:
            continue
        flavors = {name: c.flavor for name, c in podset.flavors.items() if world.flavors[c.flavor].topology is not None}
        each = podset.ask.each
        if not release.counts_all_usage:
            counted = requests_of(queue, podset.ask)
            each = {name: counted[name] // podset.ask.count for name in flavors}
        found += [
            Placed(podset.ask.name, flavor, each, podset.place.counts) for flavor in sorted(set(flavors.values()))
        ]
    return tuple(found)
