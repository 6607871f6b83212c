"""Generated worlds of a manager and two workers: what holds whatever the model decides."""

from __future__ import annotations

import pytest
from manager_worlds import MANAGER, WORKERS, Told, foretell, make_manager_world, stage_of

from stowplan.kueue.scheduling.dispatching import Dispatcher, Hub

DISPATCHERS = {"all at once": Dispatcher(), "one by one": Dispatcher(1, keeps_order=True)}


@pytest.mark.parametrize("dispatcher", DISPATCHERS)
def test_work_has_quota_on_the_manager_and_one_home(dispatcher: str) -> None:
    for seed in range(120):
        world = make_manager_world(seed)
        sent = {job["metadata"]["name"]: job for side, job in (*world.early, *world.late) if side == MANAGER}
        for told in foretell(world, DISPATCHERS[dispatcher]):
            _check(told, {name: _clusters(world.sets(), job) for name, job in sent.items()}, str(seed))


def _clusters(sets: dict[str, tuple[str, ...]], job: dict[str, dict[str, dict[str, str]]]) -> tuple[str, ...]:
    return sets[job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]]


def _check(told: Told, sent: dict[str, tuple[str, ...]], seed: str) -> None:
    assert set(told.copies) <= set(told.flavors[MANAGER]), seed
    for name, clusters in sent.items():
        admitted = tuple(worker for worker in WORKERS if name in told.flavors[worker])
        home = told.homes.get(name)
        assert admitted == ((home,) if home is not None else ()), seed
        assert set(told.copies.get(name, ())) <= set(clusters), seed
        assert home is None or told.copies[name] == (home,), seed


def test_nobody_has_more_than_there_is() -> None:
    for seed in range(120):
        hub: Hub = stage_of(make_manager_world(seed), Dispatcher()).hub
        for side in hub.sides:
            for queue in hub.sides[side].world.queues.values():
                for cell in queue.node.quotas:
                    assert queue.node.available(cell) >= 0


def test_rounds_of_clusters() -> None:
    names = ("north", "east", "west")
    assert Dispatcher().rounds(names) == (("east", "north", "west"),)
    assert Dispatcher(2).rounds(names) == (("east", "north"), ("west",))
    assert Dispatcher(1, keeps_order=True).rounds(names) == (("north",), ("east",), ("west",))
    assert Dispatcher(3, keeps_order=True).rounds(()) == ()
