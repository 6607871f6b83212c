"""The order in which the heads of queues are tried: borrowing last and by priority, or a tournament of shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stowplan.kueue.scheduling.entry import Entry
from stowplan.kueue.scheduling.quota import Node
from stowplan.kueue.scheduling.release import Release
from stowplan.kueue.scheduling.sharing import Share, share_of
from stowplan.kueue.scheduling.world import World

__all__ = ["in_order"]


def in_order(world: World, release: Release, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries one by one; what is booked for one of them counts in the shares for the next."""
    if not release.fair_sharing:
        yield from sorted(entries, key=lambda entry: _classical(release, entry))
        return
    waiting = {id(entry.queue.node): entry for entry in entries}
    while waiting:
        first = next(iter(waiting.values()))
        if first.queue.node.parent is not None:
            first = _tournament(world, release, first.queue.node.root, waiting)
        del waiting[id(first.queue.node)]
        yield first


def _classical(release: Release, entry: Entry) -> tuple[int, int, int, str]:
    priority = -entry.ask.priority if release.priority_in_cohort else 0
    return entry.made.height, priority, entry.ask.created, entry.ask.name


Shares = dict[tuple[int, int], Share]


def _tournament(world: World, release: Release, root: Node, waiting: dict[int, Entry]) -> Entry:
    shares: Shares = {}
    for node in root.queues():
        entry = waiting.get(id(node))
        if entry is None:
            continue
        world.book(entry.queue.name, entry.made.quota, ())
        share = share_of(node)
        for above in node.ancestors():
            shares[id(above), id(node)] = share
            share = share_of(above)
        world.unbook(entry.queue.name, entry.made.quota, ())
    best = _best(release, root, waiting, shares)
    assert best is not None, "somebody waits below the root"
    return best


def _best(release: Release, cohort: Node, waiting: dict[int, Entry], shares: Shares) -> Entry | None:
    found = [_best(release, child, waiting, shares) for child in cohort.children if not child.is_queue]
    found += [waiting.get(id(child)) for child in cohort.children if child.is_queue]
    rows = [entry for entry in found if entry is not None]
    return min(rows, key=lambda entry: _fair(release, entry, shares[id(cohort), id(entry.queue.node)]), default=None)


def _fair(release: Release, entry: Entry, share: Share) -> tuple[bool, tuple[bool, float], int, int, str]:
    asked = [cell for cell, amount in entry.made.quota.items() if amount > 0]
    borrows = release.nominal_first and share.borrows_any(asked)
    priority = -entry.ask.priority if release.priority_in_cohort else 0
    return borrows, share.order, priority, entry.ask.created, entry.ask.name
