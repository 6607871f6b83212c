"""The model of a MultiKueue manager and its workers against Kueue itself: who has quota where, who runs where, who comes back.

A world that disagrees among the others is played once more alone, as those of one server are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.bed import Bed
from harness.control_plane import ControlPlane
from harness.figures import Say
from harness.kueue import Kueue, connect_worker

sys.path.append(str(Path(__file__).parents[1] / "kueue"))
from manager_worlds import (
    MANAGER,
    SIDES,
    WORKERS,
    ManagerWorld,
    Told,
    foretell,
    make_manager_world,
    roomy_world,
    stage_of,
)
from product.manager_play import Clients, nominations, play, race, share
from product.releases import version

from stowplan.kueue.scheduling.dispatching import Dispatcher

_MORE = (0, 1, 5, 12, 13, 21, 118, 126, 168) if os.environ.get("STOWPLAN_WORLDS") == "all" else ()
SEEDS = (2, 3, 4, 24, 46, 53, 62, 65, 84, *_MORE)
WHEN = ("after the early jobs", "after the late jobs", "after the end of one")


def differences(world: ManagerWorld, real: tuple[Told, ...]) -> list[str]:
    """Where the model and Kueue differ, in words."""
    found = []
    for when, mine, theirs in zip(WHEN, foretell(world, version=version()), real, strict=True):
        found += [f"{when}: {row}" for row in _differences(mine, theirs)]
    return found


def _differences(model: Told, real: Told) -> Iterator[str]:
    for side in SIDES:
        for name in sorted({*model.flavors[side], *real.flavors[side]}):
            mine, theirs = model.flavors[side].get(name), real.flavors[side].get(name)
            if mine != theirs:
                yield f"flavors of {name} on {side}: model {mine}, Kueue {theirs}"
    for what in ("homes", "copies", "preempted", "returned"):
        mine, theirs = getattr(model, what), getattr(real, what)
        if mine != theirs:
            yield f"{what}: model {mine}, Kueue {theirs}"


@dataclass
class Servers:
    """A manager and its workers."""

    bed: Bed
    planes: dict[str, ControlPlane]
    clients: Clients
    manager: Kueue


@pytest.fixture(scope="module")
def servers(module_bed: Bed) -> Servers:
    """The manager asks all workers at once."""
    planes = module_bed.planes(*SIDES)
    kueues = module_bed.kueues(list(planes.values()))
    for worker in WORKERS:
        connect_worker(planes[MANAGER], planes[worker], worker)
    made = {side: plane.client() for side, plane in planes.items()}
    share(made)
    return Servers(module_bed, planes, made, kueues[SIDES.index(MANAGER)])


@dataclass(frozen=True)
class Played:
    """Differences by seed, of all worlds together and of those that differed alone."""

    first: dict[int, list[str]]
    second: dict[int, list[str]]


@pytest.fixture(scope="module")
def played(servers: Servers) -> Played:
    """What became of all worlds."""
    clients = servers.clients
    worlds = [make_manager_world(seed) for seed in SEEDS]
    real = play(clients, worlds)
    first = {world.seed: rows for world in worlds if (rows := differences(world, real[world.name]))}
    again = [make_manager_world(seed, again=True) for seed in first]
    real = play(clients, again) if again else {}
    second = {world.seed: rows for world in again if (rows := differences(world, real[world.name]))}
    return Played(first, second)


def test_the_worlds_have_what_there_is_to_find() -> None:
    """Work that is kept back, that waits on workers, that is preempted on either side, and sets of one and of two."""
    rows = [(world, foretell(world)[1]) for world in map(make_manager_world, SEEDS)]
    assert sum(bool(told.preempted) for _, told in rows) >= 4
    assert sum(bool(told.returned) for _, told in rows) >= 3
    assert sum(len(world.sets()[name]) for world, _ in rows for name in world.sets()) > len(SEEDS)
    assert {home for _, told in rows for home in told.homes.values()} == set(WORKERS)
    assert any(name not in told.homes for _, told in rows for name in told.copies)


def test_kueue_does_what_the_model_says(played: Played, say: Say) -> None:
    total, first, second = len(SEEDS), played.first, played.second
    say(f"manager: {total - len(second)}/{total} worlds agreed, {len(first) - len(second)} of them in a second play")
    assert not second, "\n".join(f"{seed}: {row}" for seed, rows in second.items() for row in rows)


def _takers(world: ManagerWorld, dispatcher: Dispatcher) -> dict[str, tuple[str, ...]]:
    """The workers of which any may take each job, as the model has it."""
    stage = stage_of(world, dispatcher, version=version())
    for side, job in world.late:
        stage.submit(side, job, 1)
    stage.hub.settle()
    return {name: tuple(sorted(sent.takers)) for name, sent in stage.hub.sent.items()}


def test_of_those_that_could_exactly_one_takes_it(servers: Servers) -> None:
    world = roomy_world("race", 5)
    told = race(servers.clients, world)
    takers = _takers(world, Dispatcher())
    assert set(takers.values()) == {WORKERS}
    assert told.homes.keys() == takers.keys()
    for name, home in told.homes.items():
        assert home in takers[name]
        assert told.copies[name] == (home,)
        assert [worker for worker in WORKERS if name in told.flavors[worker]] == [home]


def test_incremental_asks_three_at_a_time(servers: Servers) -> None:
    """Rounds last five minutes, and with two workers there is only one: both are asked at once, by name."""
    servers.manager.stop()
    settings = {"multiKueue": {"dispatcherName": "kueue.x-k8s.io/multikueue-dispatcher-incremental"}}
    servers.bed.kueue(servers.planes[MANAGER], settings=settings)
    world = roomy_world("round", 3)
    asked, told = nominations(servers.clients, world)
    rounds = Dispatcher(3).rounds(reversed(WORKERS))
    assert asked == {job["metadata"]["name"]: list(rounds[0]) for _, job in world.late}
    assert set(told.homes.values()) == {WORKERS[-1]}
    assert told.copies == dict.fromkeys(asked, (WORKERS[-1],))
