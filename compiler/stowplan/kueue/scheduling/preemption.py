"""Preemption: the smallest set of those who may go that makes room, by priority and place in the tree, or by shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stowplan.kueue.scheduling.assignment import (
    Assignment,
    Mode,
    Requests,
    find_places,
    misplaced,
    requests_of,
    topology_requests,
)
from stowplan.kueue.scheduling.candidates import Candidate, Reason, classical_candidates, fair_candidates, still_valid
from stowplan.kueue.scheduling.fairness import FairOrder
from stowplan.kueue.scheduling.quota import Cell
from stowplan.kueue.scheduling.release import FINAL_SHARE, Release
from stowplan.kueue.scheduling.slices import replaced, rest_of
from stowplan.kueue.scheduling.work import Ask
from stowplan.kueue.scheduling.world import NEVER, Held, Queue, World

__all__ = ["Preemptor", "Target"]


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Somebody to be preempted, and why."""

    held: Held
    reason: Reason


@dataclass(frozen=True, slots=True)
class _Need:
    """What room is needed for: work, the cells that are short, all amounts, and pods that want places."""

    ask: Ask
    queue: Queue
    cells: frozenset[Cell]
    quota: Mapping[Cell, int]
    places: Requests


class Preemptor:
    """Chooses whom to preempt; leaves the world as it was."""

    def __init__(self, world: World, release: Release) -> None:
        """For one world and the scheduler of one release."""
        self._world, self._release = world, release

    def simulate(self, ask: Ask, cell: Cell, amount: int) -> tuple[Mode, int]:
        """Whether one cell could be had by preemption, and from how far up it would then come."""
        queue = self._world.queues[ask.queue]
        targets = self._targets(_Need(ask, queue, frozenset((cell,)), {cell: amount}, {}))
        if not targets:
            return Mode.NO_CANDIDATES, queue.node.lowest_fit(cell, amount)[0]
        for target in targets:
            self._world.remove(target.held)
        height = queue.node.lowest_fit(cell, amount)[0]
        for target in targets:
            self._world.add(target.held)
        is_own = any(target.held.queue == queue.name for target in targets)
        return (Mode.PREEMPT if is_own else Mode.RECLAIM), height

    def targets(self, ask: Ask, made: Assignment) -> list[Target]:
        """Whom to preempt for an assignment; nobody where that does not help."""
        return self._targets(self._need(ask, made))

    def fits(self, ask: Ask, made: Assignment) -> bool:
        """Whether an assignment fits as the world is now."""
        return self._fits(self._need(ask, made))

    def _need(self, ask: Ask, made: Assignment) -> _Need:
        queue, old = self._world.queues[ask.queue], replaced(self._world, ask)
        quota: dict[Cell, int] = {}
        for podset in made.podsets:
            for name, amount in requests_of(queue, rest_of(old, podset.ask)).items():
                if amount and name in podset.flavors:
                    cell = (podset.flavors[name].flavor, name)
                    quota[cell] = quota.get(cell, 0) + amount
        places = topology_requests(self._world, queue, made)
        return _Need(ask, queue, made.cells_to_preempt(), quota, places)

    def _targets(self, need: _Need) -> list[Target]:
        return self._by_share(need) if self._release.fair_sharing else self._by_priority(need)

    def _fits(self, need: _Need, *, borrowing: bool = True) -> bool:
        node = need.queue.node
        for cell, amount in need.quota.items():
            if (not borrowing and node.borrows(cell, amount)) or amount > node.available(cell):
                return False
        return misplaced(find_places(self._world, self._release, need.places)) is None

    def _by_priority(self, need: _Need) -> list[Target]:
        """Takes candidates away in order until the work fits, then gives back whom it does not need."""
        closer, others, own = classical_candidates(self._world, need.queue, need.ask, need.cells, need.quota)
        candidates = [*closer, *others, *own]
        node = need.queue.node
        forbidden = need.queue.rules.borrow == NEVER
        under_nominal = all(node.usage.get(cell, 0) < node.nominal(cell) for cell in need.cells)
        if not (closer or others) or (forbidden and not under_nominal):
            attempts: tuple[bool, ...] = (True,)
        elif forbidden and not closer:
            attempts = (False, True)
        else:
            attempts = (True, False)
        for borrowing in attempts:
            targets = self._attempt(need, candidates, borrowing=borrowing)
            if targets:
                return targets
        return []

    def _attempt(self, need: _Need, candidates: list[Candidate], *, borrowing: bool) -> list[Target]:
        targets: list[Target] = []
        is_enough = False
        for candidate in candidates:
            if not still_valid(self._world, need.queue, candidate, need.cells, borrowing=borrowing):
                continue
            self._world.remove(candidate.held)
            targets.append(Target(candidate.held, candidate.reason))
            is_enough = self._fits(need, borrowing=borrowing)
            if is_enough:
                break
        kept = self._give_back(need, targets, borrowing=borrowing) if is_enough else targets
        for target in kept:
            self._world.add(target.held)
        return kept if is_enough else []

    def _give_back(self, need: _Need, targets: list[Target], *, borrowing: bool) -> list[Target]:
        """Puts back, the last taken first, all without whom the work still fits; the very last is needed."""
        kept = targets[-1:]
        for target in reversed(targets[:-1]):
            self._world.add(target.held)
            if not self._fits(need, borrowing=borrowing):
                self._world.remove(target.held)
                kept.append(target)
        return kept

    def _by_share(self, need: _Need) -> list[Target]:
        """Takes from whoever has the largest share, as long as the work's own share stays below."""
        candidates = fair_candidates(self._world, need.queue, need.ask, need.cells)
        if not candidates:
            return []
        self._world.book(need.queue.name, need.quota, ())
        targets: list[Target] = []
        retry: list[Held] = []
        strategies = self._release.strategies
        is_enough = self._first_strategy(need, candidates, strategies[0], targets, retry)
        if not is_enough and len(strategies) > 1:
            is_enough = self._second_strategy(need, retry, targets)
        self._world.unbook(need.queue.name, need.quota, ())
        kept = self._give_back(need, targets, borrowing=True) if is_enough else targets
        for target in kept:
            self._world.add(target.held)
        return kept if is_enough else []

    def _take(self, need: _Need, targets: list[Target], held: Held, reason: Reason) -> bool:
        """Takes one more, and says whether that is enough."""
        self._world.remove(held)
        targets.append(Target(held, reason))
        self._world.unbook(need.queue.name, need.quota, ())
        is_enough = self._fits(need)
        self._world.book(need.queue.name, need.quota, ())
        return is_enough

    def _first_strategy(
        self, need: _Need, candidates: list[Held], strategy: str, targets: list[Target], retry: list[Held]
    ) -> bool:
        order = FairOrder(self._world, need.queue.node, candidates)
        within_nominal = self._release.reclaims_nominal and not any(need.queue.node.borrows(c) for c in need.cells)
        while (node := order.next()) is not None:
            if node is need.queue.node or within_nominal:
                reason = Reason.IN_QUEUE if node is need.queue.node else Reason.RECLAIM
                if self._take(need, targets, order.pop(node), reason):
                    return True
                continue
            mine, before = order.shares(node)
            while order.has_work(node):
                held = order.pop(node)
                after = order.share_without(node, held)
                allowed = mine.order <= after.order if strategy == FINAL_SHARE else mine.order < before.order
                if allowed:
                    if self._take(need, targets, held, Reason.SHARE):
                        return True
                    break
                retry.append(held)
        return False

    def _second_strategy(self, need: _Need, candidates: list[Held], targets: list[Target]) -> bool:
        """Each queue gives one more, while it had the larger share before."""
        order = FairOrder(self._world, need.queue.node, candidates)
        while (node := order.next()) is not None:
            mine, before = order.shares(node)
            if mine.order < before.order and self._take(need, targets, order.pop(node), Reason.SHARE):
                return True
            order.drop(node)
        return False
