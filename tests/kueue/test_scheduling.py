"""The scheduler's model over generated worlds: what must hold whatever the world, and that it rests where it comes to rest."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator

import pytest
from queue_worlds import Foretold, QueueWorld, foretell, make_world, scheduler_of, submit, told

from stowplan.kueue.scheduling.assignment import Mode
from stowplan.kueue.scheduling.flavors import assign
from stowplan.kueue.scheduling.preemption import Preemptor
from stowplan.kueue.scheduling.quota import Cell, Node
from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.work import Ask

SEEDS = range(150)
VERSIONS = ((0, 17, 0), (0, 17, 8), (0, 19, 2))
PRIORITY_POLICIES = ("Never", "LowerPriority")


def played(world: QueueWorld, version: tuple[int, int, int] = (0, 17, 0)) -> Scheduler:
    """The scheduler after everything was submitted."""
    scheduler = scheduler_of(world, version)
    for created, job in enumerate((*world.early, *world.late)):
        submit(scheduler, job, created)
        if created < len(world.early):
            scheduler.settle()
    scheduler.settle()
    return scheduler


def roots(scheduler: Scheduler) -> list[Node]:
    """Tops of all trees."""
    found = {id(queue.node.root): queue.node.root for queue in scheduler.world.queues.values()}
    return list(found.values())


def nodes_below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from nodes_below(child)


def usage(scheduler: Scheduler) -> dict[str, dict[Cell, int]]:
    """Usage of every queue and cohort, without what is nothing."""
    return {
        node.name: {cell: amount for cell, amount in node.usage.items() if amount}
        for root in roots(scheduler)
        for node in nodes_below(root)
    }


def leaves(scheduler: Scheduler) -> dict[str, dict[str, int]]:
    """What is used of every node."""
    return {
        leaf.node.name: {name: amount for name, amount in leaf.used.items() if amount}
        for nodes in scheduler.world.nodes.values()
        for leaf in nodes.leaves
    }


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("fair", [False, True])
def test_nothing_is_used_twice(fair: bool, version: tuple[int, int, int]) -> None:
    for seed in SEEDS:
        scheduler = played(make_world(seed, fair=fair), version)
        for root in roots(scheduler):
            over = {c: n for c, n in root.usage.items() if n > root.subtree.get(c, 0)}
            assert over == {}, (seed, root.name)
        for name, queue in scheduler.world.queues.items():
            over = {c: n for c, n in queue.node.usage.items() if n > queue.node.potential(c)}
            assert over == {}, (seed, name)
        for nodes in scheduler.world.nodes.values():
            for leaf in nodes.leaves:
                assert all(n <= leaf.capacity.get(name, 0) for name, n in leaf.used.items()), (seed, leaf.node.name)


@pytest.mark.parametrize("fair", [False, True])
def test_when_all_ends_nothing_is_left(fair: bool) -> None:
    for seed in SEEDS:
        scheduler = played(make_world(seed, fair=fair))
        scheduler.finish(list(scheduler.world.held))
        assert not any(usage(scheduler).values()) and not any(leaves(scheduler).values()), seed


@pytest.mark.parametrize("fair", [False, True])
def test_at_rest_is_at_rest(fair: bool) -> None:
    """Nothing changes when everything is tried once more, as after a change of some object."""
    rested = 0
    for seed in SEEDS:
        scheduler = played(make_world(seed, fair=fair))
        if scheduler.restless or scheduler._failing:
            continue
        before = told(scheduler)
        scheduler.settle()
        assert told(scheduler) == before, seed
        scheduler.retry()
        scheduler.settle()
        assert told(scheduler).preempted >= before.preempted
        rested += 1
    assert rested > len(SEEDS) * 0.9


def nominations(scheduler: Scheduler) -> Iterator[tuple[Ask, Preemptor]]:
    for ask in scheduler.waiting():
        yield ask, Preemptor(scheduler.world, scheduler.release)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("fair", [False, True])
def test_choosing_whom_to_preempt_changes_nothing_and_takes_nobody_in_vain(
    fair: bool, version: tuple[int, int, int]
) -> None:
    chosen = 0
    for seed in SEEDS:
        world = make_world(seed, fair=fair)
        scheduler = scheduler_of(world, version)
        for created, job in enumerate(world.early):
            submit(scheduler, job, created)
            scheduler.settle()
        for created, job in enumerate(world.late, len(world.early)):
            submit(scheduler, job, created)
        for ask, preemptor in nominations(scheduler):
            before = (copy.deepcopy(usage(scheduler)), copy.deepcopy(leaves(scheduler)))
            made = assign(scheduler.world, scheduler.release, ask, preemptor)
            targets = preemptor.targets(ask, made) if made.mode is Mode.PREEMPT else []
            assert (usage(scheduler), leaves(scheduler)) == before, seed
            for spared in targets:
                others = [target for target in targets if target is not spared]
                for target in others:
                    scheduler.world.remove(target.held)
                again = preemptor.fits(ask, made)
                for target in others:
                    scheduler.world.add(target.held)
                assert not again, (seed, ask.name, spared.held.ask.name)
            chosen += len(targets)
    assert chosen > 20


@pytest.mark.parametrize("fair", [False, True])
def test_nobody_of_the_own_queue_is_preempted_against_its_policy(fair: bool) -> None:
    for seed in SEEDS:
        world = make_world(seed, fair=fair)
        scheduler = played(world)
        priority = {job["metadata"]["name"]: job["metadata"]["labels"] for job in (*world.early, *world.late)}
        for row in scheduler.evictions:
            queue = priority[row.by]["kueue.x-k8s.io/queue-name"]
            policy = scheduler.world.queues[queue].rules.within_queue
            if row.reason == "InClusterQueue" and policy in PRIORITY_POLICIES:
                levels = ["low", "mid", "high"]
                mine, theirs = (levels.index(priority[n]["kueue.x-k8s.io/priority-class"]) for n in (row.by, row.name))
                assert policy == "LowerPriority" and mine > theirs, (seed, row)


@pytest.mark.parametrize("fair", [False, True])
def test_likeness_only_saves_time(fair: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was refused to equal work before is not computed again; that changes no outcome."""
    worlds = [make_world(seed, fair=fair) for seed in SEEDS]
    quick = [foretell(world) for world in worlds]
    numbers = itertools.count()
    monkeypatch.setattr(Scheduler, "_likeness", staticmethod(lambda _queue, _ask: next(numbers)))
    assert [foretell(world) for world in worlds] == quick


def test_the_worlds_are_worth_it() -> None:
    """Of everything that the model knows, the worlds have some."""
    found = [foretell(make_world(seed, fair=fair))[0] for seed in SEEDS for fair in (False, True)]
    assert sum(bool(one.preempted) for one in found) > 40
    assert sum(bool(one.places) for one in found) > 60
    assert any(one == Foretold() for one in found)
