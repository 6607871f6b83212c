"""Work that waits in a queue: what is tried next, what is set aside until something ends, and who is waited for."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

from stowplan.kueue.scheduling.work import Ask

__all__ = ["Waiting"]


@dataclass(slots=True)
class Waiting:
    """The waiting work of one queue. `sticky` is preempting others now, and stays first until it is admitted."""

    is_strict: bool
    active: dict[str, Ask] = field(default_factory=dict)
    aside: dict[str, Ask] = field(default_factory=dict)
    sticky: str | None = None
    _order: list[tuple[int, int, str]] = field(default_factory=list)

    def push(self, ask: Ask) -> None:
        """Puts work where it is tried."""
        self.aside.pop(ask.name, None)
        if ask.name not in self.active:
            heapq.heappush(self._order, (-ask.priority, ask.created, ask.name))
        self.active[ask.name] = ask

    def pop(self) -> Ask | None:
        """The work to try: the sticky, the highest priority, the oldest."""
        if self.sticky is not None and self.sticky in self.active:
            return self.active.pop(self.sticky)
        while self._order:
            found = self.active.pop(heapq.heappop(self._order)[-1], None)
            if found is not None:
                return found
        return None

    def first(self) -> str | None:
        """Name of the work that is tried next."""
        if self.sticky is not None and self.sticky in self.active:
            return self.sticky
        return min((row for row in self._order if row[-1] in self.active), default=(0, 0, None))[-1]

    def drop(self, name: str) -> None:
        """Work that is no more."""
        self.active.pop(name, None)
        self.aside.pop(name, None)
        if self.sticky == name:
            self.sticky = None

    def change(self, ask: Ask) -> None:
        """Work that waits is another now, and is tried again; its turn stays."""
        self.aside.pop(ask.name, None)
        if ask.name in self.active:
            self.active[ask.name] = ask
        else:
            self.push(ask)

    def set_aside(self, ask: Ask) -> None:
        """Work that is not tried again before something changes; a strict queue tries it on and on."""
        if self.is_strict:
            self.push(ask)
        else:
            self.aside[ask.name] = ask

    def retry(self) -> bool:
        """Everything is tried again; whether there was anything."""
        rows = list(self.aside.values())
        for ask in rows:
            self.push(ask)
        return bool(rows)

    def all(self) -> Iterable[Ask]:
        """Everything that waits."""
        return [*self.active.values(), *self.aside.values()]

    def state(self) -> tuple[int, int, str | None]:
        """What changes while work is set aside."""
        return len(self.active), len(self.aside), self.sticky
