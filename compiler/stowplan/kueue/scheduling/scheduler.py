"""The scheduler: cycles over the heads of all queues until nothing changes any more."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from stowplan.kueue.scheduling.assignment import (
    Assignment,
    Mode,
    find_places,
    placed_pods,
    take_places,
    topology_requests,
)
from stowplan.kueue.scheduling.candidates import Reason
from stowplan.kueue.scheduling.entry import Entry, Fate, Progress
from stowplan.kueue.scheduling.flavors import assign
from stowplan.kueue.scheduling.ordering import in_order
from stowplan.kueue.scheduling.preemption import Preemptor, Target
from stowplan.kueue.scheduling.quota import Cell
from stowplan.kueue.scheduling.release import Release
from stowplan.kueue.scheduling.slices import is_smaller, next_slice, quota_of, replaced, shrunk, work_of
from stowplan.kueue.scheduling.topology import Placed
from stowplan.kueue.scheduling.waiting import Waiting
from stowplan.kueue.scheduling.work import Ask
from stowplan.kueue.scheduling.world import Held, Queue, World

__all__ = ["Eviction", "Scheduler"]

_ENOUGH = 4
"""Preemptions of one workload after which the play ends: whoever takes turns like this never comes to rest."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """Somebody preempted: by whom, and why in Kueue's words."""

    name: str
    by: str
    reason: str


@dataclass(slots=True)
class Scheduler:
    """One Kueue at work. `admitted` and `refused` hold the last assignment of who is in and who waits."""

    world: World
    release: Release
    admitted: dict[str, Assignment] = field(default_factory=dict)
    refused: dict[str, Assignment] = field(default_factory=dict)
    evictions: list[Eviction] = field(default_factory=list)
    restless: set[str] = field(default_factory=set)
    """Who is preempted over and over."""
    guests: set[str] = field(default_factory=set)
    """Who leaves for good when it is preempted: a manager takes it back."""
    tries: int = 0
    """Heads that were tried."""
    _waiting: dict[str, Waiting] = field(default_factory=dict)
    _refusals: dict[Hashable, tuple[int, Entry]] = field(default_factory=dict)
    """Work that nothing could be done for, by likeness, and at which version of the world."""
    _tried: dict[str, Progress] = field(default_factory=dict)
    _generation: dict[str, int] = field(default_factory=dict)
    _changed: set[int] = field(default_factory=set)
    _clock: int = 0
    _cycles: int = 0
    _bookings: int = 0
    _failing: dict[str, int] = field(default_factory=dict)
    _first: dict[str, int] = field(default_factory=dict)
    """When work was created that waits as if it was made later; once it is in again, that counts."""
    _slices: dict[str, str] = field(default_factory=dict)
    """Slices by which elastic work grows, and what each replaces."""

    @property
    def booked(self) -> int:
        """The number of the last admission."""
        return self._clock

    def submit(self, ask: Ask) -> None:
        """Puts work into its queue."""
        self._queue(ask.queue).push(ask)

    def waiting(self) -> list[Ask]:
        """All that waits, by queue."""
        return [ask for name in sorted(self._waiting) for ask in self._waiting[name].all()]

    def head_of(self, queue: str) -> str | None:
        """The work that a queue tries next."""
        return self._queue(queue).first()

    def hold(self, held: Held) -> None:
        """Books work that was admitted before; later calls are later admissions."""
        self._clock += 1
        held.since = self._clock
        self.world.hold(held)

    def finish(self, names: Iterable[str]) -> None:
        """Work that ends, or is taken out: what it held is free."""
        for name in names:
            self._free(name)
            self.admitted.pop(name, None)

    def put_back(self, names: Iterable[str], created: int | None = None) -> None:
        """Work that loses what it holds, and waits again: in the order of its creation, or as if it was made later.

        Heads of strict queues, which are tried on and on, come before it.
        """
        rows = [self._free(name) for name in names]
        for held in rows:
            self.admitted.pop(held.ask.name, None)
        self._exhaust()
        for held in rows:
            if held.ask.name not in self._slices.values():
                self._first[held.ask.name] = held.ask.created
                self.submit(held.ask if created is None else replace(held.ask, created=created))

    def pull(self, names: Iterable[str]) -> None:
        """Work that is taken out of a queue that lets go of it, admitted or not: nobody is told of the room that it leaves.

        So Kueue drains a LocalQueue: what was set aside stays so until something else changes.
        """
        changed = set(self._changed)
        for name in names:
            self.end(name)
        self._changed = changed

    def stop(self, queue: str, why: str, names: Iterable[str] = ()) -> None:
        """A queue takes nothing more and takes part in nothing; these lose what they hold."""
        made = self.world.queues[queue]
        made.stopped, made.node.is_active = why, False
        self.world.version += 1
        self.put_back(names)

    def start(self, queue: str) -> None:
        """A queue takes work again."""
        made = self.world.queues[queue]
        made.stopped, made.node.is_active = None, True
        self.world.version += 1
        self._changed.add(self._root(queue))

    def end(self, name: str) -> None:
        """Work that ends wherever it is, admitted or waiting.

        Where it waits to grow, only that ends: Kueue finishes the new slice, and never looks at the old one again.
        """
        slices = [other for other in self._slices if work_of(other) == name]
        is_growing = any(self._slices[one] in self.world.held for one in slices)
        for one in (name, *slices):
            if one in self.world.held and not is_growing:
                self.finish((one,))
            for waiting in self._waiting.values():
                waiting.drop(one)
            if one not in self.world.held:
                self._slices.pop(one, None)

    def resize(self, ask: Ask) -> None:
        """Elastic work gets another size: where it waits and where it shrinks in place, else by a slice that replaces what it holds."""
        for one in self.waiting():
            if work_of(one.name) == ask.name:
                self._waiting[one.queue].change(replace(one, podsets=ask.podsets))
                return
        held = next((held for name, held in self.world.held.items() if work_of(name) == ask.name), None)
        if held is None or [p.count for p in held.ask.podsets] == [p.count for p in ask.podsets]:
            return
        if is_smaller(ask.podsets, held):
            self._free(held.ask.name)
            self.world.hold(shrunk(self.world.queues[held.queue], held, ask.podsets))
        else:
            grown = next_slice(ask, held)
            self._slices[grown.name] = held.ask.name
            self.submit(grown)

    def slice_of(self, name: str) -> str | None:
        """The last slice by which elastic work grew or would grow."""
        return next((one for one in reversed(self._slices) if work_of(one) == name), None)

    def retry(self) -> None:
        """Everything that was set aside is tried again, as after a change of queues or flavors."""
        for waiting in self._waiting.values():
            waiting.retry()

    def settle(self) -> None:
        """Cycles until nothing changes; then once more for what was set aside, where something was freed."""
        while not self.restless:
            self._exhaust()
            moved = [w.retry() for name, w in sorted(self._waiting.items()) if self._root(name) in self._changed]
            self._changed.clear()
            if not any(moved) and not self._fail_again():
                return

    def _exhaust(self) -> None:
        """Cycles over what is not set aside, until nothing changes."""
        seen: set[tuple[object, ...]] = set()
        while not self.restless:
            if self._cycle():
                seen.clear()
                continue
            state = self._state()
            if state in seen:
                return
            seen.add(state)

    def _fail_again(self) -> bool:
        """Work that fails to be admitted is tried on and on; that makes a difference where something else has changed."""
        found = False
        for name, bookings in sorted(self._failing.items()):
            if bookings != self._bookings:
                del self._failing[name]
                for waiting in self._waiting.values():
                    if name in waiting.aside:
                        waiting.push(waiting.aside[name])
                        found = True
        return found

    def _queue(self, name: str) -> Waiting:
        if name not in self._waiting:
            self._waiting[name] = Waiting(self.world.queues[name].rules.strategy == "StrictFIFO")
        return self._waiting[name]

    def _root(self, queue: str) -> int:
        return id(self.world.queues[queue].node.root)

    def _state(self) -> tuple[object, ...]:
        queues = tuple((name, waiting.state()) for name, waiting in sorted(self._waiting.items()))
        return queues, tuple(sorted((name, repr(row.tried)) for name, row in self._tried.items()))

    def _free(self, name: str) -> Held:
        held = self.world.let_go(name)
        self._generation[held.queue] = self._generation.get(held.queue, 0) + 1
        self._changed.add(self._root(held.queue))
        return held

    def _cycle(self) -> bool:
        """One cycle; whether anybody was admitted or preempted."""
        self._cycles += 1
        entries = []
        for name in sorted(self._waiting):
            queue = self.world.queues[name]
            ask = self._waiting[name].pop() if queue.stopped is None else None
            if ask is not None:
                entries.append(self._nominate(queue, ask))
        booked: list[Entry] = []
        gone: dict[str, Target] = {}
        reserved: list[tuple[str, dict[Cell, int], tuple[Placed, ...]]] = []
        for entry in in_order(self.world, self.release, entries):
            self._process(entry, gone, reserved)
            if entry.fate in (Fate.ADMITTED, Fate.PREEMPTS):
                booked.append(entry)
        for row in reversed(reserved):
            self.world.unbook(*row)
        self._bookings += len(booked)
        for entry in booked:
            if entry.fate is Fate.ADMITTED:
                self._admit(entry)
            else:
                leaving = [t for t in entry.targets if t.reason is not Reason.REPLACED]
                self.evictions += [Eviction(t.held.ask.name, entry.ask.name, t.reason.value) for t in leaving]
        for entry in entries:
            self._requeue(entry)
        for name, target in gone.items():
            if target.reason is not Reason.REPLACED:
                self._evict(name)
        return bool(booked)

    def _nominate(self, queue: Queue, ask: Ask, only: Mapping[tuple[str, str], str] | None = None) -> Entry:
        """Flavors, targets, and places, each head for itself."""
        self.tries += 1
        progress = self._tried.pop(ask.name, None)
        known = () if only is not None or progress is None or not self._counts(queue, progress) else progress.tried
        key = self._likeness(queue, ask) if only is None and not known and ask.replaces is None else None
        refused = self._refusals.get(key) if key is not None else None
        if refused is not None and refused[0] == self.world.version:
            return Entry(ask, queue, refused[1].made, refused[1].places)
        preemptor = Preemptor(self.world, self.release)
        made = assign(self.world, self.release, ask, preemptor, known, only)
        targets = preemptor.targets(ask, made) if made.mode is Mode.PREEMPT else []
        old = replaced(self.world, ask)
        if old is not None and (targets or made.mode is Mode.FIT):
            targets = [Target(old, Reason.REPLACED), *targets]
        if made.mode is Mode.PREEMPT:
            self._place_after(queue, made, targets)
        entry = Entry(ask, queue, made, placed_pods(self.world, self.release, queue, made), targets)
        if key is not None and made.mode is not Mode.FIT and not targets:
            self._refusals[key] = (self.world.version, entry)
        return entry

    @staticmethod
    def _likeness(queue: Queue, ask: Ask) -> Hashable:
        """Equal for work that the queue treats alike while nothing changes."""
        podsets = tuple((p.name, p.count, p.shape, tuple(sorted(p.annotations.items()))) for p in ask.podsets)
        by_age = queue.rules.within_queue == "LowerOrNewerEqualPriority"
        return queue.name, ask.priority, ask.created if by_age else 0, podsets

    def _counts(self, queue: Queue, progress: Progress) -> bool:
        if self.release.keeps_progress and self._cycles - progress.cycle <= 1:
            return True
        return progress.generation == self._generation.get(queue.name, 0)

    def _place_after(self, queue: Queue, made: Assignment, targets: list[Target]) -> None:
        """Places once the targets are gone; without targets those to keep free, as if nobody else was placed."""
        requests = topology_requests(self.world, queue, made)
        for target in targets:
            self.world.remove(target.held)
        take_places(made, find_places(self.world, self.release, requests, as_empty=not targets))
        for target in targets:
            self.world.add(target.held)

    def _process(
        self, entry: Entry, gone: dict[str, Target], reserved: list[tuple[str, dict[Cell, int], tuple[Placed, ...]]]
    ) -> None:
        fits, is_placed = self._fits(entry, gone)
        if fits and not is_placed and self.release.places_again:
            pinned = {(p.ask.name, name): c.flavor for p in entry.made.podsets for name, c in p.flavors.items()}
            again = self._nominate(entry.queue, entry.ask, pinned)
            entry.made, entry.places, entry.targets = again.made, again.places, again.targets
            fits, is_placed = self._fits(entry, gone)
        mode = entry.made.mode
        if mode is Mode.NO_FIT:
            return
        if mode is Mode.PREEMPT and not entry.targets:
            if entry.queue.rules.reclaim != "Any":
                reserved.append((entry.queue.name, entry.kept_quota(), entry.places))
                self.world.book(*reserved[-1])
            return
        if any(target.held.ask.name in gone for target in entry.targets) or not (fits and is_placed):
            entry.fate = Fate.SKIPPED
            return
        gone.update((target.held.ask.name, target) for target in entry.targets)
        reserved.append((entry.queue.name, entry.made.quota, entry.places))
        self.world.book(*reserved[-1])
        if mode is Mode.PREEMPT:
            entry.fate = Fate.PREEMPTS
        else:
            entry.fate = Fate.BROKEN if entry.made.is_broken else Fate.ADMITTED

    def _fits(self, entry: Entry, gone: Mapping[str, Target]) -> tuple[bool, bool]:
        """Whether quota and places are still there, with everybody gone who is preempted."""
        out = {**gone, **{target.held.ask.name: target for target in entry.targets}}
        for target in out.values():
            self.world.remove(target.held)
        node = entry.queue.node
        fits = all(amount <= node.available(cell) for cell, amount in entry.made.quota.items())
        is_placed = all(self.world.nodes[placed.flavor].has_room(placed) for placed in entry.places)
        for target in out.values():
            self.world.add(target.held)
        return fits, is_placed

    def _admit(self, entry: Entry) -> None:
        flavors = {(p.ask.name, name): c.flavor for p in entry.made.podsets for name, c in p.flavors.items()}
        quota = dict(entry.made.quota)
        if replaced(self.world, entry.ask) is not None:
            quota = quota_of(entry.queue, entry.ask.podsets, flavors)
            self.finish((str(entry.ask.replaces),))
        ask = replace(entry.ask, created=self._first.pop(entry.ask.name, entry.ask.created))
        self.hold(Held(ask, quota, entry.places, flavors=flavors))
        self._generation[entry.queue.name] = self._generation.get(entry.queue.name, 0) + 1
        self.admitted[entry.ask.name] = entry.made
        self.refused.pop(entry.ask.name, None)
        waiting = self._waiting[entry.queue.name]
        if waiting.sticky == entry.ask.name:
            waiting.sticky = None

    def _evict(self, name: str) -> None:
        held = self._free(name)
        self.admitted.pop(name, None)
        # else the slice that waits is what is left of the work, or a manager takes it back
        if name not in self._slices.values() and work_of(name) not in self.guests:
            self._queue(held.queue).push(held.ask)
        if sum(row.name == name for row in self.evictions) > _ENOUGH:
            self.restless.add(name)

    def _requeue(self, entry: Entry) -> None:
        """Where a head goes that was not admitted: tried again at once, or set aside."""
        if entry.fate is Fate.ADMITTED:
            return
        self.refused[entry.ask.name] = entry.made
        waiting = self._waiting[entry.queue.name]
        generation = self._generation.get(entry.queue.name, 0)
        progress = Progress(generation, self._cycles, entry.made.tried())
        keeps = entry.fate is Fate.MISFIT or (entry.fate is Fate.SKIPPED and self.release.keeps_progress)
        if keeps and progress.is_open:
            self._tried[entry.ask.name] = progress
        if entry.fate is Fate.BROKEN:
            waiting.aside[entry.ask.name] = entry.ask
            self._failing[entry.ask.name] = self._bookings
            return
        if entry.fate is Fate.MISFIT and not progress.is_open:
            waiting.set_aside(entry.ask)
            return
        waiting.push(entry.ask)
        if entry.fate is Fate.PREEMPTS and not waiting.is_strict:
            waiting.sticky = entry.ask.name
