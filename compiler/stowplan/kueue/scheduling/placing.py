"""Where in a topology pods go: the smallest domain that holds them, level by level, as Kueue packs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stowplan.kueue.annotations import layers as read_layers
from stowplan.kueue.annotations import whole_number
from stowplan.kueue.scheduling.release import Release
from stowplan.kueue.scheduling.topology import Domain, FlavorNodes, Leaf, count_in, quotient
from stowplan.kueue.scheduling.work import PodAsk

__all__ = ["Place", "Request", "has_levels", "place_all"]

_P = "kueue.x-k8s.io/podset-"
Counts = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """Pods of one pod set that want a place; `is_implied` where the queue gives one to all pods."""

    ask: PodAsk
    is_implied: bool = False

    @property
    def podset(self) -> str:
        """Name of the pod set."""
        return self.ask.name

    @property
    def count(self) -> int:
        """Pods."""
        return self.ask.count

    @property
    def each(self) -> Mapping[str, int]:
        """What one pod takes of a node."""
        return self.ask.each

    @property
    def annotations(self) -> Mapping[str, str]:
        """What the pods say about their place."""
        return self.ask.annotations

    @property
    def group(self) -> str | None:
        """The group that shares a place."""
        return self.ask.group

    @property
    def layers(self) -> tuple[tuple[str, int], ...]:
        """Levels that slices must lie in, with the size of a slice, the outermost first."""
        level = self.annotations.get(f"{_P}slice-required-topology")
        if level is None:
            return tuple(read_layers(self.annotations.get(f"{_P}slice-required-topology-constraints")) or ())
        size = whole_number(self.annotations.get(f"{_P}slice-size", "0"))
        return ((level, size),) if size is not None else ()  # no such pod is taken by Kueue's webhooks

    @property
    def required(self) -> str | None:
        """The level that all pods must share a domain of."""
        return self.annotations.get(f"{_P}required-topology")

    @property
    def preferred(self) -> str | None:
        """The level that all pods should share a domain of."""
        return self.annotations.get(f"{_P}preferred-topology")

    @property
    def is_anywhere(self) -> bool:
        """Whether any place will do for the pods as a whole."""
        if self.is_implied or self.annotations.get(f"{_P}unconstrained-topology") == "true":
            return True
        return self.required is None and self.preferred is None and bool(self.layers)

    def level(self, nodes: FlavorNodes) -> str | None:
        """The level at which the search starts."""
        if self.required is not None or self.preferred is not None:
            return self.required if self.required is not None else self.preferred
        if self.layers:
            return nodes.levels[0]
        return nodes.levels[-1] if self.is_anywhere else None


@dataclass(frozen=True, slots=True)
class Place:
    """The result for a pod set: pods by leaf, or why there is no place.

    `is_broken` is a place that holds nobody: releases that misjudge room beside a leader find such, and then fail to admit.
    """

    counts: Counts = ()
    why: str | None = None
    is_broken: bool = False


def has_levels(request: Request, nodes: FlavorNodes) -> bool:
    """Whether the topology has the levels that the pods name."""
    level = request.level(nodes)
    return level in nodes.levels and all(name in nodes.levels for name, _ in request.layers)


def place_all(
    nodes: FlavorNodes, requests: list[Request], release: Release, *, as_empty: bool = False
) -> dict[str, Place]:
    """A place for each pod set, or the first that has none; what earlier ones take is not there for later ones."""
    if not as_empty:
        return _place_all(nodes, requests, release, as_empty=False)
    key = tuple((r.podset, r.count, r.ask.shape, tuple(sorted(r.annotations.items())), r.is_implied) for r in requests)
    known = nodes.when_empty.get(key)
    if not isinstance(known, dict):
        known = nodes.when_empty[key] = _place_all(nodes, requests, release, as_empty=True)
    return known


def _place_all(nodes: FlavorNodes, requests: list[Request], release: Release, *, as_empty: bool) -> dict[str, Place]:
    groups: dict[str, list[Request]] = {}
    for number, request in enumerate(requests):
        groups.setdefault(str(number) if request.group is None else f"group {request.group}", []).append(request)
    assumed: dict[int, dict[str, int]] = {}
    found: dict[str, Place] = {}
    for rows in groups.values():
        leader, workers = _roles(rows)
        places = _Search(nodes, release, workers, leader, assumed, as_empty=as_empty).run()
        if isinstance(places, str):
            return found | {row.podset: Place(why=places) for row in rows}
        for row in rows:
            found[row.podset] = Place(places[row.podset], is_broken=bool(row.count) and not places[row.podset])
            for number, count in places[row.podset]:
                taken = assumed.setdefault(number, {})
                for name, amount in row.each.items():
                    taken[name] = taken.get(name, 0) + amount * count
    return found


def _roles(rows: list[Request]) -> tuple[Request | None, Request]:
    """Of two pod sets in a group the smaller leads, the second of equals."""
    if len(rows) == 1:
        return None, rows[0]
    return (rows[0], rows[1]) if rows[1].count > rows[0].count else (rows[1], rows[0])


class _Search:
    """One search for the workers' place, and beside them for that of a leader."""

    def __init__(
        self,
        nodes: FlavorNodes,
        release: Release,
        workers: Request,
        leader: Request | None,
        assumed: Mapping[int, Mapping[str, int]],
        *,
        as_empty: bool,
    ) -> None:
        self.nodes, self.release, self.workers, self.leader = nodes, release, workers, leader
        self.assumed, self.as_empty = assumed, as_empty
        self.count, self.leaders = workers.count, 0 if leader is None else 1
        self.anywhere = workers.is_anywhere
        self.least_first = self.anywhere and release.mixed_profile
        self.slice = workers.layers[0][1] if workers.layers else 1
        self.inner: dict[int, int] = {}
        self.slice_level = len(nodes.levels) - 1

    def run(self) -> dict[str, Counts] | str:
        """Pods by leaf for each pod set, or why there is no place."""
        levels = self.nodes.levels
        name = self.workers.level(self.nodes)
        if name is None or name not in levels:
            return f"the topology has no level {name}" if name is not None else "no topology level is asked for"
        level = levels.index(name)
        if self.workers.layers:
            outermost = self.workers.layers[0][0]
            if outermost not in levels:
                return f"the topology has no level {outermost} for slices"
            self.slice_level = levels.index(outermost)
        if self.slice < 1:
            return "slices have no size"
        if level > self.slice_level:
            return f"slices at {levels[self.slice_level]} lie above {name}"
        why = self._read_inner_layers()
        if why is not None:
            return why
        self._fill()
        found = self._level_that_fits(level)
        if isinstance(found, str):
            return found
        return self._descend(*found)

    def _read_inner_layers(self) -> str | None:
        if not self.release.layers:
            return None
        size, level = self.slice, self.slice_level
        for name, inner in self.workers.layers[1:]:
            if name not in self.nodes.levels or self.nodes.levels.index(name) <= level or inner < 1 or size % inner:
                return f"slices of {inner} at {name} do not divide those above"
            below = self.nodes.levels.index(name)
            self.inner.update(dict.fromkeys(range(level + 1, below + 1), inner))
            size, level = inner, below
        return None

    def _fill(self) -> None:
        """Counts what fits, from the leaves to the top."""
        each = {**self.workers.each, "pods": self.workers.each.get("pods", 0) + 1}
        led = None if self.leader is None else {**self.leader.each, "pods": self.leader.each.get("pods", 0) + 1}
        shape = self.workers.ask.shape
        for leaf in self.nodes.leaves:
            self._fill_leaf(leaf, each, led, shape)
        for domain in self.nodes.by_level[0].values():
            self._fill_above(domain, 0)

    def _fill_leaf(self, leaf: Leaf, each: dict[str, int], led: dict[str, int] | None, shape: str) -> None:
        domain, key = leaf.domain, (shape, self.as_empty)
        domain.slices = domain.slices_led = domain.leaders = 0
        taken = self.assumed.get(leaf.number)
        if led is None and taken is None and key in leaf.counted:
            domain.pods = domain.pods_led = leaf.counted[key]
            return
        domain.pods = domain.pods_led = 0
        if not self.nodes.takes(leaf, self.workers.ask.pod):
            leaf.counted[key] = 0
            return
        free = leaf.free(as_empty=self.as_empty)
        for name, amount in (taken or {}).items():
            free[name] = free.get(name, 0) - amount
        sketch = leaf.node.is_sketch
        domain.pods = count_in(each, free, is_sketch=sketch)
        if taken is None:
            leaf.counted[key] = domain.pods
        if led is not None and count_in(led, free, is_sketch=sketch) > 0:
            domain.leaders = 1
            for name, amount in led.items():
                free[name] = free.get(name, 0) - amount
        domain.pods_led = count_in(each, free, is_sketch=sketch)

    def _fill_above(self, domain: Domain, level: int) -> None:
        if not domain.children:
            if level == self.slice_level:
                domain.slices, domain.slices_led = (
                    quotient(domain.pods, self.slice),
                    quotient(domain.pods_led, self.slice),
                )
            return
        inner = self.inner.get(level + 1)
        pods = slices = leaders = 0
        least: tuple[int, int] | None = None
        for child in domain.children:
            self._fill_above(child, level + 1)
            mine = child.pods if inner is None else quotient(child.pods, inner) * inner
            led = child.pods_led if inner is None else quotient(child.pods_led, inner) * inner
            pods, slices, leaders = pods + mine, slices + child.slices, max(leaders, child.leaders)
            if not (self.release.counts_leaders and self.leaders) or child.leaders:
                cost = (mine - led, child.slices - child.slices_led)
                least = cost if least is None else (min(least[0], cost[0]), min(least[1], cost[1]))
        domain.pods, domain.leaders = pods, leaders
        domain.pods_led = 0 if least is None else pods - least[0]
        slices_led = 0 if least is None else slices - least[1]
        if level == self.slice_level:
            slices, slices_led = quotient(pods, self.slice), quotient(domain.pods_led, self.slice)
        domain.slices, domain.slices_led = slices, slices_led

    def _sorted(self, domains: list[Domain]) -> list[Domain]:
        sign = 1 if self.least_first else -1
        return sorted(domains, key=lambda d: (sign * d.slices, d.pods, d.path))

    def _sorted_led(self, domains: list[Domain]) -> list[Domain]:
        sign = 1 if self.least_first else -1
        return sorted(domains, key=lambda d: (-d.leaders, sign * d.slices_led, d.pods_led, d.path))

    def _best(self, domains: list[Domain], needed: int, leaders: int, *, slices: bool) -> Domain:
        """The domain with the least room that is enough; the first where none has."""

        def room(domain: Domain) -> int:
            if leaders:
                return domain.slices_led if slices else domain.pods_led
            return domain.slices if slices else domain.pods

        best: Domain | None = None if self.release.seats_leaders else domains[0]
        for domain in domains:
            if self.release.seats_leaders and domain.leaders < leaders:
                continue
            if room(domain) >= needed and (best is None or room(domain) < room(best)):
                best = domain
        return domains[0] if best is None else best

    def _level_that_fits(self, level: int) -> tuple[int, list[Domain]] | str:
        """The domains that hold all, at the level asked for or above it."""
        if not self.nodes.by_level[level]:
            return "no node has a place in the topology"
        ordered = self._sorted_led(list(self.nodes.by_level[level].values()))
        top, slices = ordered[0], self.count // self.slice
        if not self.least_first and top.slices_led >= slices and top.leaders >= self.leaders:
            top = self._best(ordered, slices, self.leaders, slices=True)
        if self.least_first:
            for domain in ordered:
                if self._holds_whole(domain, slices):
                    return level, [domain]
            if self.workers.required is not None:
                return self._misfit(ordered)
        if top.slices_led >= slices and top.leaders >= self.leaders:
            return level, [top]
        if self.workers.required is not None:
            return self._misfit(ordered)
        if level > 0 and not self.anywhere:
            return self._level_that_fits(level - 1)
        return self._several(level, ordered, slices)

    def _holds_whole(self, domain: Domain, slices: int) -> bool:
        if self.release.seats_leaders and self.leaders:
            return domain.leaders >= self.leaders and domain.slices_led >= slices
        return domain.slices >= slices

    def _several(self, level: int, ordered: list[Domain], slices: int) -> tuple[int, list[Domain]] | str:
        if self.release.seats_leaders:
            ordered = self._leader_first(ordered, self.count, self.leaders, self.slice, slices=True)
        chosen: list[Domain] = []
        leaders, start = self.leaders, 0
        rest = slices
        while leaders > 0 and start < len(ordered) and ordered[start].leaders > 0:
            domain = ordered[start]
            if not self.least_first and domain.slices_led >= rest:
                domain = self._best(ordered[start:], rest, leaders, slices=True)
            chosen.append(domain)
            leaders, rest, start = leaders - domain.leaders, rest - domain.slices_led, start + 1
        if leaders > 0:
            return "no domain has room for the leader"
        remaining = self._sorted(ordered[start:])
        for position, first in enumerate(remaining):
            if rest <= 0:
                break
            domain = first
            if not self.least_first and first.slices >= rest:
                domain = self._best(remaining[position:], rest, 0, slices=True)
            chosen.append(domain)
            rest -= domain.slices
        return (level, chosen) if rest <= 0 else self._misfit(ordered)

    def _misfit(self, domains: list[Domain]) -> str:
        fitting = max(domain.pods for domain in domains)
        if self.workers.required is None:
            fitting = sum(max(0, domain.pods) for domain in domains)
        where = f"{self.workers.required} has" if self.workers.required is not None else "the nodes have"
        kind = "no domain of " if self.workers.required is not None else ""
        return f"{kind}{where} room for {self.count} pods, at most for {max(0, fitting)}"

    def _descend(self, level: int, domains: list[Domain]) -> dict[str, Counts]:
        last = len(self.nodes.levels) - 1
        chosen = self._spread(domains, self.count, self.leaders, self.slice, slices=True)
        while level < min(last, self.slice_level):
            below = self._sorted([child for domain in chosen for child in domain.children])
            chosen = self._spread(below, self.count, self.leaders, self.slice, slices=True)
            level += 1
        while level < last:
            size = self.inner.get(level + 1, 1)
            further: list[Domain] = []
            for domain in chosen:
                below = self._sorted(domain.children)
                if size > 1:
                    for child in below:
                        child.slices, child.slices_led = quotient(child.pods, size), quotient(child.pods_led, size)
                further += self._spread(below, domain.pods, domain.leaders, size, slices=size > 1)
            chosen, level = further, level + 1
        found = {self.workers.podset: _counts(chosen, leaders=False)}
        if self.leader is not None:
            found[self.leader.podset] = _counts(chosen, leaders=True)
        return found

    def _leader_first(
        self, domains: list[Domain], count: int, leaders: int, size: int, *, slices: bool
    ) -> list[Domain]:
        """The first domain that takes the leader and leaves enough for the workers goes to the front."""
        if leaders == 0 or len(domains) < 2:
            return domains
        needed = count // size if slices else count
        there = sum(d.slices if slices else d.pods for d in domains)
        for position, domain in enumerate(domains):
            cost = domain.slices - domain.slices_led if slices else domain.pods - domain.pods_led
            if domain.leaders >= leaders and there - cost >= needed:
                return [domain, *domains[:position], *domains[position + 1 :]]
        return domains

    def _spread(self, domains: list[Domain], count: int, leaders: int, size: int, *, slices: bool) -> list[Domain]:
        """Gives each domain as many as it holds until all are placed; the last is the one with the least room that is enough."""
        if self.release.seats_leaders:
            domains = self._leader_first(domains, count, leaders, size, slices=slices)
        rest = count // size if slices else count
        chosen: list[Domain] = []
        for position, first in enumerate(domains):
            if leaders > 0:
                domain, rest, leaders, is_done = self._lead(domains[position:], rest, leaders, size, slices=slices)
                chosen.append(domain)
                if is_done:
                    return chosen
                continue
            domain = first
            room = domain.slices if slices else domain.pods
            if not self.least_first and room >= rest:
                domain = self._best(domains[position:], rest, 0, slices=slices)
                room = domain.slices if slices else domain.pods
            domain.leaders = 0
            taken = min(room, rest)
            if slices:
                domain.slices, domain.pods = taken, taken * size
            else:
                domain.pods = taken
            rest -= taken
            chosen.append(domain)
            if rest <= 0:
                return chosen
        return []

    def _lead(
        self, domains: list[Domain], rest: int, leaders: int, size: int, *, slices: bool
    ) -> tuple[Domain, int, int, bool]:
        """The next domain takes the leader; (domain, what is left, leaders left, whether all are placed)."""

        def led(domain: Domain) -> int:
            return domain.slices_led if slices else domain.pods_led

        domain = domains[0]
        if not self.least_first and led(domain) >= rest and domain.leaders >= leaders:
            domain = self._best(domains, rest, leaders, slices=slices)
        if led(domain) >= rest and domain.leaders >= leaders:
            domain.leaders, domain.pods = leaders, rest * (size if slices else 1)
            if slices:
                domain.slices = rest
            return domain, 0, 0, True
        taken = min(led(domain), rest)
        domain.leaders = min(domain.leaders, leaders)
        if slices or self.release.seats_leaders:
            domain.pods = taken * (size if slices else 1)
        if self.release.seats_leaders and slices:
            domain.slices = taken
        return domain, rest - taken, leaders - domain.leaders, False


def _counts(domains: list[Domain], *, leaders: bool) -> Counts:
    """Pods by leaf, in the order of their paths."""
    rows = sorted(domains, key=lambda d: d.path)
    return tuple((d.leaf.number, n) for d in rows if d.leaf is not None and (n := d.leaders if leaders else d.pods) > 0)
