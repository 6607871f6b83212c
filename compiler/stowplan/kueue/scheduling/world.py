"""What the model starts from: queues with their rules, flavors, nodes, and what is held of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stowplan.kueue.scheduling.quota import Cell, Node
from stowplan.kueue.scheduling.topology import FlavorNodes, Placed
from stowplan.kueue.scheduling.work import Ask

__all__ = ["NEVER", "Flavor", "Group", "Held", "Queue", "Rules", "World"]

NEVER = "Never"


@dataclass(frozen=True, slots=True)
class Rules:
    """How a queue queues, tries flavors, and preempts; values as Kueue's fields have them."""

    strategy: str = "BestEffortFIFO"
    when_can_borrow: str = "MayStopSearch"
    when_can_preempt: str = "TryNextFlavor"
    preference: str = "BorrowingOverPreemption"
    within_queue: str = NEVER
    reclaim: str = NEVER
    borrow: str = NEVER
    borrow_threshold: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Resources that come from one flavor together, and the flavors in the order they are tried."""

    resources: frozenset[str]
    flavors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flavor:
    """A ResourceFlavor; `topology` is the name of its Topology."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Mapping[str, Any], ...] = ()
    tolerations: tuple[Mapping[str, Any], ...] = ()
    topology: str | None = None


@dataclass(slots=True, eq=False)
class Queue:
    """A ClusterQueue.

    `late` are flavors whose place in the topology is chosen only once their nodes are provisioned, None means all;
    `checks` are (name, flavors it is for or none for all) of its admission checks; `stopped` says why it takes nothing.
    """

    name: str
    node: Node
    rules: Rules
    groups: tuple[Group, ...]
    late: frozenset[str] | None = frozenset()
    checks: tuple[tuple[str, frozenset[str]], ...] = ()
    stopped: str | None = None
    drains: bool = False
    """Whether what runs is evicted too."""
    is_placing: bool = False
    """Whether all its flavors have a topology: then all its pods get a place, asked for or not."""
    totals: dict[tuple[str, int], dict[str, int]] = field(default_factory=dict)
    """What pod sets count for, by shape and number of pods."""

    def group_of(self, resource: str) -> Group | None:
        """The group that covers a resource."""
        return next((group for group in self.groups if resource in group.resources), None)

    def checks_of(self, flavors: Iterable[str]) -> tuple[str, ...]:
        """The admission checks that work on these flavors has to pass."""
        used = frozenset(flavors)
        return tuple(name for name, only in self.checks if not only or only & used)


@dataclass(slots=True, eq=False)
class Held:
    """What admitted work holds; `since` orders the admissions, the later the higher.

    `flavors` are those of its pod sets, by pod set and resource.
    """

    ask: Ask
    quota: dict[Cell, int]
    places: tuple[Placed, ...] = ()
    since: int = 0
    flavors: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def queue(self) -> str:
        """The queue that it was admitted through."""
        return self.ask.queue


@dataclass(slots=True)
class World:
    """Everything that one scheduler sees."""

    queues: dict[str, Queue]
    flavors: dict[str, Flavor]
    nodes: dict[str, FlavorNodes]
    """Nodes of each flavor with a topology."""
    held: dict[str, Held] = field(default_factory=dict)

    version: int = 0
    """Rises with everything that is held or let go."""
    _by_queue: dict[str, dict[str, Held]] = field(default_factory=dict)

    def held_in(self, queue: str) -> Iterable[Held]:
        """Work admitted through a queue."""
        return self._by_queue.get(queue, {}).values()

    def hold(self, held: Held) -> None:
        """Books what work holds, and remembers it as something that may be preempted."""
        self.version += 1
        self.held[held.ask.name] = held
        self._by_queue.setdefault(held.queue, {})[held.ask.name] = held
        self.add(held)

    def let_go(self, name: str) -> Held:
        """Takes work out for good."""
        self.version += 1
        held = self.held.pop(name)
        del self._by_queue[held.queue][name]
        self.remove(held)
        return held

    def add(self, held: Held) -> None:
        """Books quota and places."""
        self.book(held.queue, held.quota, held.places)

    def remove(self, held: Held) -> None:
        """Takes the booking of quota and places back."""
        self.unbook(held.queue, held.quota, held.places)

    def book(self, queue: str, quota: Mapping[Cell, int], places: tuple[Placed, ...]) -> None:
        """Books amounts to a queue, and pods to their places."""
        node = self.queues[queue].node
        for cell, amount in quota.items():
            node.use(cell, amount)
        for placed in places:
            self.nodes[placed.flavor].use(placed)

    def unbook(self, queue: str, quota: Mapping[Cell, int], places: tuple[Placed, ...]) -> None:
        """The reverse of `book`."""
        node = self.queues[queue].node
        for cell, amount in quota.items():
            node.release(cell, amount)
        for placed in places:
            self.nodes[placed.flavor].release(placed)
