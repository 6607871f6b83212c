"""A MultiKueue manager and its workers: quota on the manager first, then copies, of which the first that is admitted stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from stowplan.kueue.scheduling.scheduler import Scheduler
from stowplan.kueue.scheduling.slices import work_of
from stowplan.kueue.scheduling.work import Ask

__all__ = ["Dispatcher", "Hub", "Return", "Sent"]

_ENOUGH = 4
"""Returns of one workload after which it is sent no more: it would go round for ever."""


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """How the manager asks the clusters of a set: `step` of them a round, None all at once.

    They are asked in the set's own order, or by name. `takes_back`: what a worker preempts returns to the manager.
    """

    step: int | None = None
    keeps_order: bool = False
    takes_back: bool = True

    def rounds(self, clusters: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """The clusters by round."""
        rows = tuple(clusters) if self.keeps_order else tuple(sorted(clusters))
        size = self.step or max(1, len(rows))
        return tuple(rows[start : start + size] for start in range(0, len(rows), size))


@dataclass(frozen=True, slots=True)
class Return:
    """Work that a worker preempted, and that the manager took back."""

    name: str
    cluster: str


@dataclass(slots=True, eq=False)
class Sent:
    """Work that the manager dispatches: what it asks there, and what its copy asks on each cluster of its set, in order.

    `asked` are the clusters that have a copy, or had one until another was admitted; `home` is where it was admitted;
    `takers` are all that had room then: any of them may be the first.
    """

    ask: Ask
    copies: Mapping[str, Ask]
    asked: tuple[str, ...] = ()
    home: str | None = None
    takers: tuple[str, ...] = ()
    returns: int = 0


def _first(_: str, takers: Sequence[str]) -> str:
    return takers[0]


@dataclass(slots=True)
class Hub:
    """Schedulers by API server; `manager` is the one that dispatches, None where all work starts where it runs.

    `choose` says which of several clusters that have room at the same time is the first; by default it is the first asked.
    """

    sides: Mapping[str, Scheduler]
    manager: str | None = None
    dispatcher: Dispatcher = field(default_factory=Dispatcher)
    choose: Callable[[str, Sequence[str]], str] = _first
    sent: dict[str, Sent] = field(default_factory=dict)
    returns: list[Return] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    """Sides that something was done to since somebody last cleared this."""
    _dirty: set[str] = field(default_factory=set)
    _read: dict[str, int] = field(default_factory=dict)
    """Evictions of each side that were looked at."""
    _open: dict[str, Sent] = field(default_factory=dict)
    """Who has no home."""
    _growing: dict[str, Ask] = field(default_factory=dict)
    """What is to grow on its worker once the manager has quota for that."""
    _batch: int = 0
    _last: int = 0
    """The age of the youngest that was ever queued on the manager."""

    def __post_init__(self) -> None:
        self._dirty.update(self.sides)

    @property
    def tries(self) -> int:
        """Heads that were tried, on all sides."""
        return sum(scheduler.tries for scheduler in self.sides.values())

    def submit(self, side: str, ask: Ask) -> None:
        """Puts work into a queue of one side, where it runs too."""
        self._mark(side).submit(ask)

    def dispatch(self, sent: Sent) -> None:
        """Puts work into the manager's queue; what has a home is there already, and runs."""
        self.sent[sent.ask.name] = sent
        self._last = max(self._last, sent.ask.created)
        if sent.home is None:
            self._open[sent.ask.name] = sent
            self._manager().submit(sent.ask)
        else:
            self._settled_on(sent, sent.home)

    def resize(self, side: str, ask: Ask) -> None:
        """Elastic work gets another size on one side."""
        self._mark(side).resize(ask)

    def grow(self, name: str, ask: Ask) -> None:
        """What is dispatched gets another size: on the manager first, by what it asks there, and then where it runs, by `ask`."""
        self._manager().resize(self.sent[name].ask)
        self._growing[name] = ask

    def wake(self, side: str) -> None:
        """Something was done to the scheduler of one side directly."""
        self._mark(side)

    def end(self, names: Iterable[str]) -> None:
        """Work that ends, wherever it is."""
        for name in map(work_of, names):
            sent = self.sent.pop(name, None)
            self._growing.pop(name, None)
            self._open.pop(name, None)
            for side in self._whereabouts(name, sent):
                self._mark(side).end(name)
                self.sides[side].guests.discard(name)

    def _whereabouts(self, name: str, sent: Sent | None) -> tuple[str, ...]:
        if sent is not None and self.manager is not None:
            return tuple(dict.fromkeys((self.manager, *sent.asked)))
        return tuple(
            side
            for side, scheduler in self.sides.items()
            if name in scheduler.world.held or scheduler.slice_of(name) is not None
        )

    def is_running(self, side: str, name: str) -> bool:
        """Whether what a side has admitted runs there: on the manager, quota alone is held for what runs elsewhere."""
        return name in self.sides[side].world.held and not (side == self.manager and work_of(name) in self.sent)

    def waiting(self) -> set[str]:
        """Everything that runs nowhere yet."""
        return self._open.keys() | {
            work_of(ask.name) for scheduler in self.sides.values() for ask in scheduler.waiting()
        }

    def take_back(self, name: str) -> None:
        """The manager gives up its quota, deletes the copies, and queues the work behind its equals."""
        sent = self.sent[name]
        if sent.home is not None:
            self.returns.append(Return(name, sent.home))
        sent.returns += 1
        self._recall(sent)
        manager = self._manager()
        manager.end(name)
        if sent.returns > _ENOUGH:
            manager.restless.add(name)
            return
        self._last += 1
        sent.ask = replace(sent.ask, created=self._last)
        manager.submit(sent.ask)

    def settle(self) -> None:
        """Until nothing changes on any side, and every cluster that may be asked has been."""
        while True:
            self._settle_sides()
            if (
                self._withdraw()
                or self._returned()
                or self._settle_homes()
                or self._nominate(first=True)
                or self._follow()
            ):
                continue
            if self._dirty or self._nominate(first=False):
                continue
            return

    def _manager(self) -> Scheduler:
        assert self.manager is not None, "only what a manager dispatches gets here"
        return self._mark(self.manager)

    def _mark(self, side: str) -> Scheduler:
        self._dirty.add(side)
        return self.sides[side]

    def _settle_sides(self) -> None:
        for side in sorted(self._dirty, key=lambda name: (name != self.manager, name)):
            self.sides[side].settle()
        self.touched |= self._dirty
        self._dirty.clear()

    def _evicted(self, side: str) -> list[str]:
        """Who was evicted there since the last look, each once."""
        rows = self.sides[side].evictions
        start = self._read.get(side, 0)
        self._read[side] = len(rows)
        return list(dict.fromkeys(work_of(row.name) for row in rows[start:]))

    def _withdraw(self) -> bool:
        """What lost its quota on the manager leaves its workers."""
        if self.manager is None:
            return False
        found = [self.sent[name] for name in self._evicted(self.manager) if name in self.sent]
        rows = [sent for sent in found if sent.asked]
        for sent in rows:
            self._recall(sent)
        return bool(rows)

    def _recall(self, sent: Sent) -> None:
        for side in sent.asked:
            self._mark(side).end(sent.ask.name)
            self.sides[side].guests.discard(sent.ask.name)
        sent.asked, sent.home, sent.takers = (), None, ()
        self._open[sent.ask.name] = sent

    def _returned(self) -> bool:
        """What was preempted on the worker that had it goes back to the manager."""
        found = False
        for side in self.sides:
            if side == self.manager:
                continue
            for name in self._evicted(side):
                sent = self.sent.get(name)
                if sent is not None and sent.home == side and name in self.sides[side].guests:
                    self.take_back(name)
                    found = True
        return found

    def _settle_homes(self) -> bool:
        """The first worker that admits a copy keeps it, and the others lose theirs."""
        found = False
        for sent in tuple(self._open.values()):
            takers = [side for side in sent.asked if sent.ask.name in self.sides[side].world.held]
            if not takers:
                continue
            ready = [side for side in takers if not self._checks(side, sent.ask.name)] or takers
            self._settled_on(sent, self.choose(sent.ask.name, ready), tuple(ready))
            found = True
        return found

    def _follow(self) -> bool:
        """What has its new size on the manager gets it where it runs."""
        done = [name for name in self._growing if self.sent[name].home is None or self._has_size(name)]
        for name in done:
            home, ask = self.sent[name].home, self._growing.pop(name)
            if home is not None:
                self.resize(home, ask)
        return bool(done)

    def _has_size(self, name: str) -> bool:
        assert self.manager is not None, "only what it sends asks it"
        scheduler = self.sides[self.manager]
        return scheduler.slice_of(name) is None or scheduler.slice_of(name) in scheduler.world.held

    def _settled_on(self, sent: Sent, home: str, takers: tuple[str, ...] = ()) -> None:
        name = sent.ask.name
        for side in sent.asked:
            if side != home:
                self._mark(side).end(name)
        self._open.pop(name, None)
        sent.home, sent.takers = home, takers or (home,)
        sent.asked = sent.asked or (home,)
        if self.dispatcher.takes_back:
            self.sides[home].guests.add(name)

    def _checks(self, side: str, name: str) -> bool:
        """Whether other checks come before the admission."""
        scheduler = self.sides[side]
        made = scheduler.admitted.get(name)
        return made is not None and bool(
            scheduler.world.queues[scheduler.world.held[name].queue].checks_of(made.flavors)
        )

    def _nominate(self, *, first: bool) -> bool:
        """Copies for the clusters of the next round: at once for what has none, in time for what nobody admitted."""
        if self.manager is None:
            return False
        manager = self.sides[self.manager]
        rows = []
        for name, sent in self._open.items():
            is_held = name in manager.world.held or manager.slice_of(name) in manager.world.held
            if bool(sent.asked) is not first and is_held:
                rounds = self.dispatcher.rounds(sent.copies)
                later = next((row for row in rounds if not set(row).issubset(sent.asked)), None)
                if later is not None:
                    rows.append((sent, later))
        if rows:
            self._batch += 1
        for sent, later in rows:
            sent.asked = (*sent.asked, *later)
            for side in later:
                self._mark(side).submit(replace(sent.copies[side], created=self._batch))
        return bool(rows)
