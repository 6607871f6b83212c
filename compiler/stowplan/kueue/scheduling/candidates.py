"""Whom a workload may preempt: by policy and priority, in its own queue and in those that run on what it may claim."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from stowplan.kueue.scheduling.quota import Cell, Node
from stowplan.kueue.scheduling.work import Ask
from stowplan.kueue.scheduling.world import NEVER, Held, Queue, World

__all__ = ["Candidate", "Reason", "classical_candidates", "fair_candidates", "order_of", "still_valid"]


class Reason(enum.Enum):
    """Why somebody is preempted, in Kueue's words."""

    IN_QUEUE = "InClusterQueue"
    RECLAIM = "InCohortReclamation"
    BORROWING = "InCohortReclaimWhileBorrowing"
    SHARE = "InCohortFairSharing"
    REPLACED = "WorkloadSliceReplaced"
    """Not preempted: it makes room for the slice that takes its place."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Somebody who may be preempted.

    `shared` is the lowest cohort above both queues; with `only_without_borrowing` the preemptor must not borrow after it.
    """

    held: Held
    reason: Reason
    shared: Node | None = None
    only_without_borrowing: bool = False


def order_of(held: Held, queue: str) -> tuple[bool, int, int, str]:
    """Others' work before that of the own queue, then the lower priority, then who was admitted last."""
    return held.queue == queue, held.ask.priority, -held.since, held.ask.name


def _may(policy: str, ask: Ask, held: Held) -> bool:
    if policy == "Any":
        return True
    is_lower = ask.priority > held.ask.priority
    if policy == "LowerOrNewerEqualPriority":
        return is_lower or (ask.priority == held.ask.priority and ask.created < held.ask.created)
    return policy == "LowerPriority" and is_lower


def _of_queue(world: World, name: str, policy: str, ask: Ask, cells: frozenset[Cell]) -> Iterator[Held]:
    for held in world.held_in(name):
        if not cells.isdisjoint(held.quota) and _may(policy, ask, held):
            yield held


def fair_candidates(world: World, queue: Queue, ask: Ask, cells: frozenset[Cell]) -> list[Held]:
    """With fair sharing: those of the own queue, and of all in the tree that borrow any of the cells."""
    found: list[Held] = []
    if queue.rules.within_queue != NEVER:
        found += _of_queue(world, queue.name, queue.rules.within_queue, ask, cells)
    if queue.node.parent is not None and queue.rules.reclaim != NEVER:
        for node in queue.node.root.queues():
            if node is not queue.node and any(node.borrows(cell) for cell in cells):
                found += _of_queue(world, node.name, queue.rules.reclaim, ask, cells)
    return sorted(found, key=lambda held: order_of(held, queue.name))


def classical_candidates(
    world: World, queue: Queue, ask: Ask, cells: frozenset[Cell], requests: Mapping[Cell, int]
) -> tuple[list[Candidate], list[Candidate], list[Candidate]]:
    """Those over whom the queue's place in the tree gives precedence, those over whom priority does, and its own."""
    own: list[Candidate] = []
    if queue.rules.within_queue != NEVER:
        mine = _of_queue(world, queue.name, queue.rules.within_queue, ask, cells)
        own = [Candidate(held, Reason.IN_QUEUE) for held in mine]
    closer: list[Candidate] = []
    others: list[Candidate] = []
    if queue.node.parent is not None and queue.rules.reclaim != NEVER:
        has_precedence, rest = queue.node.fits(requests)
        below: Node | None = None
        for root in queue.node.ancestors():
            for node in _beyond_quota(root, below, queue.node, cells):
                for held in _of_queue(world, node.name, queue.rules.reclaim, ask, cells):
                    if has_precedence:
                        closer.append(Candidate(held, Reason.RECLAIM, root))
                    else:
                        others.append(_by_priority(queue, ask, held, root))
            fits, rest = root.fits(rest)
            has_precedence = has_precedence or fits
            below = root
    parts = (closer, others, own)
    for rows in parts:
        rows.sort(key=lambda row: order_of(row.held, queue.name))
    return parts


def _by_priority(queue: Queue, ask: Ask, held: Held, root: Node) -> Candidate:
    rules, priority = queue.rules, held.ask.priority
    above = priority >= ask.priority or (rules.borrow_threshold is not None and priority > rules.borrow_threshold)
    if rules.borrow == NEVER or above:
        return Candidate(held, Reason.RECLAIM, root, only_without_borrowing=True)
    return Candidate(held, Reason.BORROWING, root)


def _beyond_quota(root: Node, skipped: Node | None, own: Node, cells: frozenset[Cell]) -> Iterator[Node]:
    """Queues below that use more than their quota, through cohorts that do; not the subtree seen before."""
    for child in root.children:
        if child is skipped or child is own or not child.is_active or child.is_within(cells):
            continue
        if child.is_queue:
            yield child
        else:
            yield from _beyond_quota(child, skipped, own, cells)


def still_valid(world: World, queue: Queue, candidate: Candidate, cells: Iterable[Cell], *, borrowing: bool) -> bool:
    """Whether a candidate may still be taken, now that those before it are gone."""
    if candidate.held.queue == queue.name:
        return True
    if borrowing and candidate.only_without_borrowing:
        return False
    node = world.queues[candidate.held.queue].node
    if node.is_within(cells):
        return False
    for above in node.ancestors():
        if above is candidate.shared:
            break
        if above.is_within(cells):
            return False
    return True
